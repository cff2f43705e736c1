/** Serves a client on the standard streams of the process, until a signal ends it. */

import { existsSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { Worker } from 'node:worker_threads';
import { type DaemonFlags, parseFlags } from '../core/settings/flags.ts';
import { loadProviders } from '../node/models/loadProviders.ts';
import {
	readSettingsFile,
	type SettingsFile,
	SettingsFileRefusedError,
} from '../node/settings/settingsFile.ts';
import type { StartThread } from '../node/transcript/thread/openInThread.ts';
import type { RecorderStart } from '../recorder/threadMessages.ts';
import { findAgentFolders } from './agentFolders.ts';
import { listenForEndSignals } from './endSignals.ts';
import { type InProcessOptions, serveInProcess } from './inProcess.ts';

/** What a server or command gets from its process. */
export type ProcessContext = Omit<InProcessOptions, 'input' | 'output' | 'errors' | 'flags' | 'startThread'>;

/** What determines a client's settings and its access to providers. */
type ClientEnvironment = Pick<InProcessOptions, 'environment' | 'home' | 'askProvider' | 'settingsFile'>;

/**
 * Returns what determines a client's settings and its access to providers.
 *
 * A settings file replaces the client's variables: only those that name an agent's folder are set, with their values
 * when contextd was installed. The home folder is then that of the user's account.
 */
export async function readClientEnvironment(
	client: { environment: ProcessContext['environment']; home: string; settingsFile?: SettingsFile },
	platform: NodeJS.Platform,
): Promise<ClientEnvironment> {
	const { settingsFile } = client;
	const home = settingsFile ? userInfo().homedir : client.home;
	const environment = settingsFile
		? await findAgentFolders(settingsFile, platform, home)
		: client.environment;
	return {
		environment,
		home,
		askProvider: loadProviders(environment),
		...(settingsFile && { settingsFile }),
	};
}

/**
 * Starts a thread that reads a transcript; undefined if the package was updated or removed.
 *
 * A thread of another version would not understand this program. This file's name contains a hash of the program, so
 * the file exists only as long as the version does.
 */
export const startThread: StartThread = (request) => {
	if (!existsSync(__filename)) return undefined;
	return new Worker(join(__dirname, 'transcriptThread.cjs'), { workerData: request });
};

/** Starts the recorder's thread; undefined if the package was updated or removed. */
export function startRecorder(data: RecorderStart): Worker | undefined {
	if (!existsSync(__filename)) return undefined;
	// SQLite is WebAssembly. Compiled by one task and without optimization, it takes 50 MB less, and is fast enough.
	setFlagsFromString('--wasm-num-compilation-tasks=1 --liftoff-only');
	const resourceLimits = { maxYoungGenerationSizeMb: 8 };
	return new Worker(join(__dirname, 'recorderThread.cjs'), { workerData: data, resourceLimits });
}

function serveStandardStreams(context: ProcessContext, flags: DaemonFlags): Promise<number> {
	if (process.stdin.isTTY)
		process.stderr.write('contextd: waiting for JSON-RPC on the standard input; see contextd --help\n');
	const server = serveInProcess({
		...context,
		input: process.stdin,
		output: process.stdout,
		errors: process.stderr,
		flags,
		startThread,
	});
	// The input is paused if the proxy has already looked at the client's first message.
	process.stdin.resume();
	listenForEndSignals(() => server.stop());
	return server.exitCode;
}

/**
 * Serves the client on the standard streams. Returns the exit code.
 * @param argv command line without the program and its file
 */
export async function serveProcess(argv: readonly string[], processContext: ProcessContext): Promise<number> {
	const flags = parseFlags(argv);
	let context = processContext;
	try {
		if (flags.settingsFrom !== undefined) {
			const settingsFile = await readSettingsFile(flags.settingsFrom);
			context = {
				...processContext,
				...(await readClientEnvironment({ ...processContext, settingsFile }, processContext.platform)),
			};
		}
	} catch (error) {
		if (!(error instanceof SettingsFileRefusedError)) throw error;
		process.stderr.write(`contextd: ${error.message}\n`);
		return 2;
	}
	return serveStandardStreams(context, flags);
}
