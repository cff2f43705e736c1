/** The main process: runs what its arguments name, and exits with the resulting code. */

import { homedir } from 'node:os';
import { isFrontCommand } from '../front/isFrontCommand.ts';
import { loadProviders } from '../node/models/loadProviders.ts';
import type { ProcessContext } from './serveProcess.ts';

declare const contextdVersion: string;

const argv = process.argv.slice(2);

/** What the command or server gets from this process. */
const context: ProcessContext = {
	environment: process.env,
	platform: process.platform,
	home: homedir(),
	version: contextdVersion,
	/** The rank tables are next to this file. */
	tablesFolder: __dirname,
	askProvider: loadProviders(process.env),
};

/** Loads and runs what the arguments name; returns the exit code. */
async function run(): Promise<number> {
	const isDaemon = argv[0] === 'daemon' && argv[1] === 'serve';
	if (!isDaemon && isFrontCommand(argv)) {
		const { runCommand } = await import('./command.ts');
		return runCommand(argv, context);
	}
	const { runDaemon, serveProcess } = await import('./serving.ts');
	return isDaemon ? runDaemon(argv.slice(2), context) : serveProcess(argv, context);
}

run().then(
	(code) => process.exit(code),
	(error) => {
		process.stderr.write(`contextd: ${error instanceof Error ? error.stack : error}\n`);
		process.exit(1);
	},
);
