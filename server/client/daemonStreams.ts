/** Connects a client to the daemon that all clients of the user share. */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import { pickDefined } from '../core/shape.ts';
import { LocationRefusedError } from '../node/ownFolder.ts';
import { FolderInUseError } from '../relay/connectDaemon.ts';
import { type ClientProgram, prepareIntroduction } from '../relay/introduction.ts';
import { type RelayOptions, relay } from '../relay/relay.ts';
import { runAsNodeVariables } from '../relay/startDaemon.ts';
import type { DaemonStreams } from './connection.ts';
import { detachProcess } from './process.ts';
import { createStreams } from './streams.ts';

/** A client, and the daemon that it would start. */
export interface DaemonClient extends Pick<ClientProgram, 'program' | 'version' | 'environment'> {
	/** Arguments to pass in addition to `--stdio`, such as `--settings-from`. */
	flags?: readonly string[];
	/** The client's working folder; by default that of this process. */
	cwd?: string;
	/** What the client will send as `initializationOptions`. */
	settings?: unknown;
	/** Whether this process may end while the client is connected; by default false. */
	isBackground?: boolean;
}

export interface OpenedDaemon extends DaemonStreams {
	/** The daemon's state folder, which contains everything that outlives the daemon. */
	stateFolder: string;
}

/** The streams of a client, named from the server's point of view: `input` is what the client writes. */
interface Pipes {
	input: PassThrough;
	output: PassThrough;
	errors: PassThrough;
}

/**
 * Connects to the daemon in the background, and starts it if none answers.
 *
 * If sessions are only kept in memory, or no daemon can use the state folder, a separate process serves the client.
 * @throws SettingsFileRefusedError
 */
export async function openDaemonStreams(options: DaemonClient): Promise<OpenedDaemon> {
	const client = { flags: [], cwd: process.cwd(), ...pickDefined(options) };
	const buildIntroduction = await prepareIntroduction(client);
	const { isOnDisk, ...introduction } = buildIntroduction(client.settings);
	const pipes = { input: new PassThrough(), output: new PassThrough(), errors: new PassThrough() };
	const killController = new AbortController();
	const serving = isOnDisk
		? serveByDaemon(
				client,
				{ ...pipes, ...introduction, isBackground: client.isBackground },
				killController.signal,
			)
		: serveAlone(client, pipes, killController.signal);
	const ended = serving.finally(() => pipes.output.end());
	return {
		...createStreams({ ...pipes, ended, kill: () => killController.abort() }),
		stateFolder: introduction.stateFolder,
	};
}

/** Connects a client to the shared daemon; resolves with a message when the connection ends. */
async function serveByDaemon(
	client: DaemonClient,
	options: RelayOptions & Pipes,
	killSignal: AbortSignal,
): Promise<string> {
	const { exitCode, stop } = relay(options);
	killSignal.addEventListener('abort', stop);
	try {
		await exitCode;
		return 'no daemon can be reached';
	} catch (error) {
		if (!(error instanceof LocationRefusedError || error instanceof FolderInUseError)) throw error;
		options.errors.write(`contextd: ${error.message}; a process serves this client without the daemon\n`);
		return serveAlone(client, options, killSignal);
	}
}

/** Serves a client by a separate process; resolves with a message when that process ends. */
async function serveAlone(
	{ program, flags = [], cwd, environment, isBackground }: DaemonClient,
	{ input, output, errors }: Pipes,
	killSignal: AbortSignal,
): Promise<string> {
	const [file = process.execPath, ...args] = program;
	const child = spawn(file, [...args, '--stdio', '--isolated', ...flags], {
		cwd,
		env: { ...environment, ...runAsNodeVariables },
		windowsHide: true,
	});
	if (isBackground) detachProcess(child);
	killSignal.addEventListener('abort', () => child.kill('SIGKILL'));
	// A process that has ended breaks the pipe; its `close` event reports the end.
	child.stdin.on('error', () => {});
	input.pipe(child.stdin);
	child.stdout.pipe(output, { end: false });
	child.stderr.pipe(errors, { end: false });
	await once(child, 'close');
	return 'the process that served this client has ended';
}
