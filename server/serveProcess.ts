/** The daemon as a process: its settings, its streams, and the signals that end it. */

import { existsSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { agentFolders } from './agentFolders.ts';
import { type AppOptions, startApp } from './app.ts';
import { type Flags, parseFlags } from './core/settings/flags.ts';
import { loadProviders } from './node/models/loadProviders.ts';
import type { StartThread } from './node/transcript/thread/openInThread.ts';
import { readSettingsFile, type SettingsFile, SettingsFileRefused } from './settingsFile.ts';

/** The environment of a process. */
export type ProcessWorld = Omit<AppOptions, 'input' | 'output' | 'errors' | 'flags' | 'startThread'>;

/**
 * Returns the world with the settings of a file alone: variables of the environment are ignored, except those that name
 * an agent's folder, with the values that they had when contextd was installed, and the home is that of the user's account.
 */
async function fixedWorld(world: ProcessWorld, path: string): Promise<ProcessWorld> {
	const settingsFile: SettingsFile = await readSettingsFile(path);
	const home = userInfo().homedir;
	const environment = await agentFolders(settingsFile, world.platform, home);
	return { ...world, settingsFile, home, environment, askProvider: loadProviders(environment) };
}

/**
 * Starts a thread of this program; undefined once the package was updated or removed, since a thread of another version
 * would not understand this one. The name of this file holds a hash of the program.
 */
const startThread: StartThread = (request) => {
	if (!existsSync(__filename)) return undefined;
	return new Worker(join(__dirname, 'transcriptThread.cjs'), { workerData: request });
};

function endOnSignals(stop: () => void): void {
	for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, stop);
}

function serveClient(world: ProcessWorld, flags: Flags): Promise<number> {
	if (process.stdin.isTTY) {
		process.stderr.write('contextd: waiting for JSON-RPC on the standard input; see contextd --help\n');
	}
	const server = startApp({
		...world,
		input: process.stdin,
		output: process.stdout,
		errors: process.stderr,
		flags,
		startThread,
	});
	endOnSignals(server.stop);
	return server.exitCode;
}

/**
 * Serves the client on the standard streams, or the plugin at the socket that the flags name. Returns the exit code.
 * @param argv without the program and its file
 */
export async function serveProcess(argv: readonly string[], given: ProcessWorld): Promise<number> {
	const flags = parseFlags(argv);
	let world = given;
	try {
		if (flags.settingsFrom !== undefined) world = await fixedWorld(given, flags.settingsFrom);
	} catch (error) {
		if (!(error instanceof SettingsFileRefused)) throw error;
		process.stderr.write(`contextd: ${error.message}\n`);
		return 2;
	}
	if (flags.httpSocket === undefined) return serveClient(world, flags);
	const { serveChannelHere } = await import('./channelHere.ts');
	const { stdout: announced, stderr: errors } = process;
	return serveChannelHere({ ...world, errors, flags, announced, onStart: endOnSignals }, flags.httpSocket);
}
