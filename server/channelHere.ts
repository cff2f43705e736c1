/** The daemon in this process, with a plugin's channel before it. */

import { PassThrough, type Writable } from 'node:stream';
import { serveChannel } from './channel/serveChannel.ts';
import { openConnection } from './client/connection.ts';
import { ConnectionError } from './client/errors.ts';
import { type InProcessOptions, serveInProcess } from './inProcess.ts';
import { PlaceRefused } from './node/ownFolder.ts';
import { initialize, initialized } from './protocol/lifecycle.ts';

/** What a channel is started with. */
export type ChannelStart = Omit<InProcessOptions, 'input' | 'output'> & {
	/** Where the channel is told. */
	announced: Writable;
	/** Hears of the way to end it, before it is ready. */
	onStart(stop: () => void): void;
};

/** Exit code where the channel cannot be as it was asked for. */
const refusedCode = 2;

function say(options: ChannelStart, message: string): void {
	options.errors.write(`contextd: ${message}\n`);
}

/**
 * Serves a plugin at the socket that the flags name, until the process is gone that they name, else the one that started
 * this one; gives the exit code.
 */
export async function serveChannelHere(options: ChannelStart, socket: string): Promise<number> {
	const { clientProcessId = process.ppid } = options.flags;
	const input = new PassThrough();
	const output = new PassThrough();
	const app = serveInProcess({ ...options, flags: { ...options.flags, clientProcessId }, input, output });
	options.onStart(app.stop);
	const lost = app.exitCode.then((): never => {
		throw new ConnectionError('the daemon is ending');
	});
	// Whoever waits for an answer hears of it; where nobody does, it is no failure.
	lost.catch(() => {});
	const connection = openConnection({ input, output, lost, kill: app.stop, end: (farewell) => farewell() });
	const clientInfo = { name: 'contextd-channel', version: options.version };
	await connection.request(initialize.method, {
		processId: clientProcessId,
		clientInfo,
		rootUri: null,
		// The figures that status lines show.
		capabilities: { experimental: { contextd: { notifications: true } } },
	});
	await connection.notify(initialized.method, {});
	const log = {
		debug: (message: string) => say(options, message),
		error: (message: string) => say(options, message),
	};
	try {
		const stateFolder = app.stateFolder();
		const channel = await serveChannel({
			socket,
			stateFolder,
			connection,
			announced: options.announced,
			log,
		});
		const code = await app.exitCode;
		await channel.close();
		return code;
	} catch (error) {
		app.stop();
		await app.exitCode;
		if (!(error instanceof PlaceRefused)) throw error;
		say(options, `--http-socket: ${error.message}`);
		return refusedCode;
	}
}
