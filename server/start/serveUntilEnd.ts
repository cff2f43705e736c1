/** A plugin's channel to the user's daemon, served by this process. */

import type { Writable } from 'node:stream';
import { serveChannel } from '../channel/serveChannel.ts';
import { openConnection } from '../client/connection.ts';
import type { OpenedDaemon } from '../client/daemonStreams.ts';
import { errorText } from '../core/failure.ts';
import { LocationRefusedError } from '../node/ownFolder.ts';
import { initialize, initialized } from '../protocol/lifecycle.ts';
import { watchParent } from '../rpc/lifecycle/parentWatch.ts';

/** Options for starting a channel. */
export interface ChannelStartOptions {
	/** Absolute path of the socket for the plugin. */
	socket: string;
	/** Opens streams to the daemon. */
	openDaemonStreams(): Promise<OpenedDaemon>;
	/** Process whose end closes the channel. */
	clientProcessId: number;
	version: string;
	/** Receives the announcement of the channel's location. */
	announcements: Writable;
	errors: Writable;
	/** Receives the function that stops the channel, before the channel is ready. */
	onStart(stop: () => void): void;
}

/** Exit codes: `lost` if the daemon ended, `refused` if the channel cannot be created as requested. */
const exitCodes = { lost: 1, refused: 2 } as const;

/** Serves a plugin at a socket until the given process ends; resolves with the exit code. */
export async function serveChannelUntilEnd(options: ChannelStartOptions): Promise<number> {
	const { socket, clientProcessId, version, announcements, errors } = options;
	const report = (message: string): void => void errors.write(`contextd: ${message}\n`);
	const stopped = new Promise<number>((resolve) => {
		const stop = (): void => resolve(0);
		options.onStart(stop);
		watchParent({ processId: clientProcessId, onGone: stop });
	});
	const streams = await options.openDaemonStreams();
	const lost = streams.lost.catch((error) => {
		report(errorText(error));
		return exitCodes.lost;
	});
	const connection = openConnection(streams);
	try {
		await connection.request(initialize.method, {
			processId: clientProcessId,
			clientInfo: { name: 'contextd-channel', version },
			rootUri: null,
			// Status lines show the figures that these notifications contain.
			capabilities: { experimental: { contextd: { notifications: true } } },
		});
		await connection.notify(initialized.method, {});
		const log = { debug: report, error: report };
		const { stateFolder } = streams;
		const closeChannel = await serveChannel({ socket, stateFolder, connection, announcements, log });
		const code = await Promise.race([stopped, lost]);
		await closeChannel();
		return code;
	} catch (error) {
		if (!(error instanceof LocationRefusedError)) throw error;
		report(`--http-socket: ${error.message}`);
		return exitCodes.refused;
	} finally {
		await connection.close();
	}
}
