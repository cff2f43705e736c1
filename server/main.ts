/** The process: arguments, streams, signals, and the one place that ends it. */

import { homedir } from 'node:os';
import { startApp } from './app.ts';
import { parseFlags } from './core/settings/flags.ts';

declare const CONTEXTD_VERSION: string;

async function main(): Promise<number> {
	const server = startApp({
		input: process.stdin,
		output: process.stdout,
		errors: process.stderr,
		flags: parseFlags(process.argv.slice(2)),
		environment: process.env,
		platform: process.platform,
		home: homedir(),
		version: CONTEXTD_VERSION,
		tables: __dirname,
	});
	for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, server.stop);
	return server.exitCode;
}

main().then(
	(code) => process.exit(code),
	(error) => {
		process.stderr.write(`contextd: ${error instanceof Error ? error.stack : error}\n`);
		process.exit(1);
	},
);
