/** The process: arguments, streams, signals, and the one place that ends it. */

import { homedir, userInfo } from 'node:os';
import { Worker } from 'node:worker_threads';
import { type AppOptions, startApp } from './app.ts';
import { type Flags, parseFlags } from './core/settings/flags.ts';
import { glanceAt, startDaemonHere, startKeeperHere } from './daemonHere.ts';
import { isFrontCommand, runFront } from './front/run.ts';
import { stateDirectory } from './node/stateDirectory.ts';
import { transcriptFolders } from './node/transcript/discover/places.ts';
import { readForDaemon } from './node/transcript/thread/readForDaemon.ts';
import type { AskModel } from './session/ports.ts';
import { readSettingsFile, type SettingsFile, SettingsFileRefused } from './settingsFile.ts';

declare const contextdVersion: string;

const argv = process.argv.slice(2);

/** The bundle of the libraries of providers, beside this file: it is read when the first provider is asked. */
let providers: AskModel | undefined;
const askProvider: AskModel = (...question) => {
	const { createAskProvider }: typeof import('./node/models/askProvider.ts') = require('./models.cjs');
	providers ??= createAskProvider(world.environment, Date.now);
	return providers(...question);
};

type Around = Omit<AppOptions, 'input' | 'output' | 'errors' | 'flags' | 'startThread'> & {
	settingsFile?: SettingsFile;
};

/** What stands around the process. */
const world: Around = {
	environment: process.env,
	platform: process.platform,
	home: homedir(),
	version: contextdVersion,
	/** Of the rank tables, beside this file. */
	tables: __dirname,
	askProvider,
};

/** With the settings of a file alone: no variable says anything, and the home is that of the user's account. */
async function closeWorld(path: string): Promise<void> {
	world.settingsFile = await readSettingsFile(path);
	world.environment = {};
	world.home = userInfo().homedir;
}

function endOnSignals(stop: () => void): void {
	for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, stop);
}

async function serve(): Promise<number> {
	const flags = parseFlags(argv);
	try {
		if (flags.settingsFrom !== undefined) await closeWorld(flags.settingsFrom);
	} catch (error) {
		if (!(error instanceof SettingsFileRefused)) throw error;
		process.stderr.write(`contextd: ${error.message}\n`);
		return 2;
	}
	if (flags.httpSocket === undefined) return serveClient(flags);
	const { serveChannelHere } = await import('./channelHere.ts');
	const { stdout: announced, stderr: errors } = process;
	return serveChannelHere({ ...world, errors, flags, announced, onStart: endOnSignals }, flags.httpSocket);
}

function serveClient(flags: Flags): Promise<number> {
	if (process.stdin.isTTY) {
		process.stderr.write('contextd: waiting for JSON-RPC on the standard input; see contextd --help\n');
	}
	const server = startApp({
		...world,
		input: process.stdin,
		output: process.stdout,
		errors: process.stderr,
		flags,
		startThread: (order) => new Worker(__filename, { workerData: order }),
	});
	endOnSignals(server.stop);
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
		startKeeper: () => startKeeperHere(world),
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
	const ended = isFrontCommand(argv, process.stdin.isTTY) ? runCommand() : serve();
	ended.then(
		(code) => process.exit(code),
		(error) => {
			process.stderr.write(`contextd: ${error instanceof Error ? error.stack : error}\n`);
			process.exit(1);
		},
	);
}

if (!readForDaemon()) runProcess();
