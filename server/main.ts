/** The process: arguments, streams, signals, and the one place that ends it. */

import { homedir } from 'node:os';
import { Worker } from 'node:worker_threads';
import { startApp } from './app.ts';
import { parseFlags } from './core/settings/flags.ts';
import { glanceAt, startDaemonHere } from './daemonHere.ts';
import { isFrontCommand, runFront } from './front/run.ts';
import { stateDirectory } from './node/stateDirectory.ts';
import { transcriptFolders } from './node/transcript/discover/places.ts';
import { readForDaemon } from './node/transcript/thread/readForDaemon.ts';
import type { AskModel } from './session/ports.ts';

declare const contextdVersion: string;

const argv = process.argv.slice(2);

/** The bundle of the libraries of providers, beside this file: it is read when the first provider is asked. */
let providers: AskModel | undefined;
const askProvider: AskModel = (...question) => {
	const { createAskProvider }: typeof import('./node/models/askProvider.ts') = require('./models.cjs');
	providers ??= createAskProvider(process.env, Date.now);
	return providers(...question);
};

/** What stands around the process. */
const world = {
	environment: process.env,
	platform: process.platform,
	home: homedir(),
	version: contextdVersion,
	/** Of the rank tables, beside this file. */
	tables: __dirname,
	askProvider,
};

function serveClient(): Promise<number> {
	if (process.stdin.isTTY) {
		process.stderr.write('contextd: waiting for JSON-RPC on the standard input; see contextd --help\n');
	}
	const server = startApp({
		...world,
		input: process.stdin,
		output: process.stdout,
		errors: process.stderr,
		flags: parseFlags(argv),
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
		transcriptFolders: transcriptFolders(world),
		version: contextdVersion,
		glance: (transcript) => glanceAt(transcript, world),
		startDaemon: () => startDaemonHere(world),
		installPlace: {
			packageFolder: __dirname,
			stateFolder: stateDirectory(process.env, world.platform, world.home),
			node: process.execPath,
			home: world.home,
			platform: world.platform,
		},
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
