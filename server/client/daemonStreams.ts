/** A client's streams to the daemon that all clients of the user share. */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { homedir, userInfo } from 'node:os';
import { PassThrough } from 'node:stream';
import { parseFlags } from '../core/settings/flags.ts';
import { PlaceRefused } from '../node/ownFolder.ts';
import { stateDirectory } from '../node/stateDirectory.ts';
import { type Hello, helloProtocol } from '../protocol/hello.ts';
import { clientEnvironment } from '../relay/clientEnvironment.ts';
import { FolderInUse } from '../relay/connectDaemon.ts';
import { type RelayOptions, relay } from '../relay/relay.ts';
import { storagePlace } from '../relay/storagePlace.ts';
import { readSettingsFile } from '../settingsFile.ts';
import type { DaemonStreams } from './connection.ts';
import { letGo } from './process.ts';
import { streamsOf } from './streams.ts';

/** Who connects, and which daemon it would start. */
export interface DaemonClient {
	/** The arguments that start contextd, the program first. */
	program: readonly string[];
	/** Its version. */
	version: string;
	/** Arguments of `--stdio`, such as `--settings-from`. */
	flags?: readonly string[];
	/** The folder that the client works in; by default that of this process. */
	cwd?: string;
	/** The client's variables. */
	environment: NodeJS.ProcessEnv;
	/** What the client will send as `initializationOptions`. */
	settings?: unknown;
	/** Whether this process may end while it is connected; false if absent. */
	isBackground?: boolean;
	startDaemon?: RelayOptions['startDaemon'];
}

export interface OpenedDaemon extends DaemonStreams {
	/** Where everything is kept that outlives the daemon. */
	stateFolder: string;
}

/** What a client's side of a conversation is, seen from the side that serves it. */
interface Pipes {
	input: PassThrough;
	output: PassThrough;
	errors: PassThrough;
}

/**
 * Connects to the daemon in the background, and starts it if none answers. If sessions are kept in memory, or the state
 * folder allows no daemon, a process of its own serves the client.
 * @throws SettingsFileRefused
 */
export async function daemonStreams(client: DaemonClient): Promise<OpenedDaemon> {
	const flags = parseFlags(client.flags ?? []);
	const path = flags.settingsFrom;
	const settingsFile = path === undefined ? undefined : await readSettingsFile(path);
	const environment = settingsFile ? {} : client.environment;
	const home = settingsFile ? userInfo().homedir : homedir();
	const storage = storagePlace({
		environment,
		platform: process.platform,
		home,
		flags: flags.layer,
		...(settingsFile && { fixed: settingsFile.value }),
		initializationOptions: client.settings,
	});
	const hello: Hello = {
		protocol: helloProtocol,
		version: client.version,
		program: [...client.program],
		pid: process.pid,
		cwd: client.cwd ?? process.cwd(),
		platform: process.platform,
		home,
		environment: clientEnvironment(environment, client.settings),
		flags: [...(client.flags ?? [])],
		...(settingsFile && { settingsFile }),
	};
	const pipes = { input: new PassThrough(), output: new PassThrough(), errors: new PassThrough() };
	const killing = new AbortController();
	const serving =
		storage === undefined
			? serveAlone(client, pipes, killing.signal)
			: serveByDaemon(
					client,
					{ ...pipes, hello, stateFolder: storage, framing: flags.framing },
					killing.signal,
				);
	const ended = serving.finally(() => pipes.output.end());
	return {
		...streamsOf({
			...pipes,
			ended: ended.then((code) => `ended with code ${code}`),
			kill: () => killing.abort(),
		}),
		stateFolder: storage ?? stateDirectory(environment, process.platform, home),
	};
}

/** Resolves with the exit code. */
async function serveByDaemon(
	client: DaemonClient,
	options: RelayOptions & Pipes,
	killed: AbortSignal,
): Promise<number> {
	const { exitCode, stop } = relay({
		...options,
		isBackground: client.isBackground,
		...(client.startDaemon && { startDaemon: client.startDaemon }),
	});
	killed.addEventListener('abort', stop);
	try {
		return await exitCode;
	} catch (error) {
		if (!(error instanceof PlaceRefused || error instanceof FolderInUse)) throw error;
		options.errors.write(`contextd: ${error.message}; a process serves this client without the daemon\n`);
		return serveAlone(client, options, killed);
	}
}

/** Serves a client by a process of its own; resolves with its exit code. */
async function serveAlone(
	{ program, flags = [], cwd, environment, isBackground }: DaemonClient,
	{ input, output, errors }: Pipes,
	killed: AbortSignal,
): Promise<number> {
	const [file = process.execPath, ...args] = program;
	const child = spawn(file, [...args, '--stdio', '--isolated', ...flags], {
		cwd,
		// An editor's program runs scripts only if it is told to.
		env: { ...environment, ...(process.versions.electron !== undefined && { ELECTRON_RUN_AS_NODE: '1' }) },
		windowsHide: true,
	});
	if (isBackground) letGo(child);
	killed.addEventListener('abort', () => child.kill('SIGKILL'));
	// A process that is gone breaks the pipe; its end says so.
	child.stdin.on('error', () => {});
	input.pipe(child.stdin);
	child.stdout.pipe(output, { end: false });
	child.stderr.pipe(errors, { end: false });
	const [code] = (await once(child, 'close')) as [number | null];
	return code ?? 1;
}
