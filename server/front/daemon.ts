/** The daemon as the front sees it: typed requests over one connection. */

import type { Readable, Writable } from 'node:stream';
import { setTimeout } from 'node:timers/promises';
import {
	createMessageConnection,
	type MessageConnection,
	ProgressType,
	ResponseError,
	StreamMessageReader,
	StreamMessageWriter,
} from 'vscode-jsonrpc/node';
import type { RequestDeclaration, WorkDoneProgress } from '../protocol/declaration.ts';

export interface Daemon {
	/** Sends a request. Rejects with the daemon's `ResponseError`, or with what ended the connection. */
	request<Params, Result>(declaration: RequestDeclaration<Params, Result>, params: Params): Promise<Result>;
	/** As `request`, for requests that report their progress under the token that they are given. */
	watch<Result>(
		request: (workDoneToken: string) => Promise<Result>,
		each: (progress: WorkDoneProgress) => void,
	): Promise<Result>;
	/** Lets the daemon end in an orderly way. */
	close(): Promise<void>;
}

/** The two ends of a daemon's streams, and what tells that it is gone. */
export interface DaemonStreams {
	/** What the daemon writes. */
	output: Readable;
	/** What the daemon reads. */
	input: Writable;
	/** Rejects when the daemon ends before it was told to; never resolves. */
	lost: Promise<never>;
	/** Resolves once the daemon has ended after `exit`. */
	ended(): Promise<void>;
}

/** Milliseconds that the end of a daemon may come after the failure it caused. */
const PATIENCE = 1000;

async function initialize(connection: MessageConnection, version: string): Promise<void> {
	await connection.sendRequest('initialize', {
		processId: process.pid,
		clientInfo: { name: 'contextd', version },
		rootUri: null,
		capabilities: {},
	});
	await connection.sendNotification('initialized', {});
}

/**
 * Opens a conversation with a daemon.
 * @param version the version that the client gives as its own
 */
export async function openDaemon(streams: DaemonStreams, version: string): Promise<Daemon> {
	const { output, input, lost } = streams;
	const connection = createMessageConnection(new StreamMessageReader(output), new StreamMessageWriter(input));
	// What goes wrong with the streams fails the requests, and those tell of it.
	connection.onError(() => {});
	connection.listen();

	async function orLost<Result>(work: () => Promise<Result>): Promise<Result> {
		try {
			return await Promise.race([lost, work()]);
		} catch (error) {
			if (error instanceof ResponseError) throw error;
			// A broken pipe is heard of before the end that broke it, and says less.
			await Promise.race([lost, setTimeout(PATIENCE)]);
			throw error;
		}
	}

	await orLost(() => initialize(connection, version));
	let lastToken = 0;

	return {
		request: ({ method }, params) => orLost(() => connection.sendRequest(method, params)),
		async watch(request, each) {
			const token = `work-${++lastToken}`;
			const listener = connection.onProgress(new ProgressType<WorkDoneProgress>(), token, each);
			try {
				return await request(token);
			} finally {
				listener.dispose();
			}
		},
		async close() {
			await orLost(() => connection.sendRequest('shutdown'));
			await connection.sendNotification('exit');
			await streams.ended();
			connection.dispose();
		},
	};
}
