/** The process: arguments, streams, signals, and the one place that ends it. */

import { homedir, userInfo } from 'node:os';
import { isMainThread, Worker } from 'node:worker_threads';
import { agentFolders } from './agentFolders.ts';
import { type AppOptions, startApp } from './app.ts';
import { runCommand } from './command.ts';
import { type Flags, parseFlags } from './core/settings/flags.ts';
import { isFrontCommand } from './front/isFrontCommand.ts';
import { readForDaemon } from './node/transcript/thread/readForDaemon.ts';
import type { AskModel } from './session/ports.ts';
import { readSettingsFile, type SettingsFile, SettingsFileRefused } from './settingsFile.ts';

declare const contextdVersion: string;
/** The files of the parts that a daemon may come to need, in the order in which it reads them, with blanks between. */
declare const contextdParts: string;

const partsOfDaemon = contextdParts.split(' ');
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
	readProgram: () => partsOfDaemon.forEach(readPart),
};

/**
 * With the settings of a file alone: no variable says anything but where agents keep their own, as it was when contextd
 * was installed, and the home is that of the user's account.
 */
async function closeWorld(path: string): Promise<void> {
	world.settingsFile = await readSettingsFile(path);
	world.home = userInfo().homedir;
	world.environment = await agentFolders(world.settingsFile, world.platform, world.home);
}

/** Milliseconds until the parts that were not needed yet are read, and between two of them. */
const restAfter = 1000;
const restApart = 100;

function readPart(part: string): void {
	try {
		require(part);
	} catch (error) {
		process.stderr.write(`contextd: a part of the program cannot be read: ${error}\n`);
	}
}

/** Reads the rest of the program while nobody waits: an update of the package may take away what is not read yet. */
function readRestSoon([next, ...others]: readonly string[], after: number): void {
	if (next === undefined) return;
	const read = (): void => {
		readPart(next);
		readRestSoon(others, restApart);
	};
	setTimeout(read, after).unref();
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
	readRestSoon(partsOfDaemon, restAfter);
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

function runProcess(): void {
	const ended = isFrontCommand(argv, () => process.stdin.isTTY) ? runCommand(argv, world) : serve();
	ended.then(
		(code) => process.exit(code),
		(error) => {
			process.stderr.write(`contextd: ${error instanceof Error ? error.stack : error}\n`);
			process.exit(1);
		},
	);
}

if (isMainThread || !readForDaemon()) runProcess();
