/** The process: arguments, streams, signals, and the one place that ends it. */

import { homedir } from 'node:os';
import { Worker } from 'node:worker_threads';
import { startApp } from './app.ts';
import { parseFlags } from './core/settings/flags.ts';
import { startDaemon } from './front/daemonProcess.ts';
import { isFrontCommand, runFront } from './front/run.ts';
import { transcriptFolders } from './node/transcript/discover/places.ts';
import { readForDaemon } from './node/transcript/thread/readForDaemon.ts';

declare const CONTEXTD_VERSION: string;

const argv = process.argv.slice(2);

function serveClient(): Promise<number> {
	if (process.stdin.isTTY) {
		process.stderr.write('contextd: waiting for JSON-RPC on the standard input; see contextd --help\n');
	}
	const server = startApp({
		input: process.stdin,
		output: process.stdout,
		errors: process.stderr,
		flags: parseFlags(argv),
		environment: process.env,
		platform: process.platform,
		home: homedir(),
		version: CONTEXTD_VERSION,
		tables: __dirname,
		startThread: (order) => new Worker(__filename, { workerData: order }),
	});
	for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, server.stop);
	return server.exitCode;
}

function runCommand(): Promise<number> {
	return runFront(argv, {
		stdin: process.stdin,
		stdout: process.stdout,
		stderr: process.stderr,
		env: process.env,
		transcriptFolders: transcriptFolders({
			environment: process.env,
			home: homedir(),
			platform: process.platform,
		}),
		version: CONTEXTD_VERSION,
		startDaemon: () => startDaemon({ file: __filename, env: process.env, version: CONTEXTD_VERSION }),
	});
}

function runProcess(): void {
	const ended = isFrontCommand(argv, process.stdin.isTTY) ? runCommand() : serveClient();
	ended.then(
		(code) => process.exit(code),
		(error) => {
			process.stderr.write(`contextd: ${error instanceof Error ? error.stack : error}\n`);
			process.exit(1);
		},
	);
}

if (!readForDaemon()) runProcess();
