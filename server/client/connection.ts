import type { Readable, Writable } from 'node:stream';
import { setTimeout } from 'node:timers/promises';
import {
	type CancellationToken,
	createMessageConnection,
	ErrorCodes,
	type GenericNotificationHandler,
	type MessageConnection,
	ResponseError,
	StreamMessageReader,
	StreamMessageWriter,
} from 'vscode-jsonrpc/node';
import { exit, shutdown } from '../protocol/lifecycle.ts';
import { ConnectionError, RequestError } from './errors.ts';
import { linkAbort, requestUnder } from './requestUnder.ts';

/** The two ends of a daemon's streams, and what tells that it is gone. */
export interface DaemonStreams {
	/** What the daemon writes. */
	output: Readable;
	/** What the daemon reads. */
	input: Writable;
	/** Rejects with a `ConnectionError` when the daemon ends before it was told to; never resolves. */
	lost: Promise<never>;
	/**
	 * Resolves once the daemon has ended, by force where it does not in time.
	 * @param farewell tells the daemon to end; called where there still is one
	 */
	end(farewell: () => Promise<void>): Promise<void>;
	/** Ends the daemon by force, at once. */
	kill(): void;
}

/** A conversation with a daemon, by methods of any name. */
export interface Connection {
	/** Rejects as `Client.request` does. */
	request<Result>(method: string, params: unknown, signal?: AbortSignal): Promise<Result>;
	/** Rejects with a `ConnectionError` where the daemon is gone. */
	notify(method: string, params: unknown): Promise<void>;
	/** Gives what ends the listening. */
	onNotification<Params>(method: string, listener: (params: Params) => void): () => void;
	/** Gives what ends the answering; there is one answerer a method. */
	onRequest<Params, Result>(
		method: string,
		answer: (params: Params, options: { signal: AbortSignal }) => Result | Promise<Result>,
	): () => void;
	/** `shutdown` and `exit`; resolves once the daemon is gone, however often it is called. */
	close(): Promise<void>;
}

/** Milliseconds that the end of a daemon may come after the failure it caused. */
const patience = 1000;

/** Codes by which vscode-jsonrpc says that a request did not get out, or that no answer can come. */
const ownCodes: readonly number[] = [
	ErrorCodes.MessageWriteError,
	ErrorCodes.PendingResponseRejected,
	ErrorCodes.ConnectionInactive,
];

function isAnswer(error: unknown): error is ResponseError<unknown> {
	return error instanceof ResponseError && !ownCodes.includes(error.code);
}

function requestError({ code, message, data }: ResponseError<unknown>): RequestError {
	return new RequestError(code, message, data);
}

/** Calls listeners as an event target does: what one of them throws stops no other, and is nobody's to catch. */
function tell(listeners: ReadonlySet<GenericNotificationHandler>, params: unknown): void {
	for (const listener of [...listeners]) {
		try {
			listener(params);
		} catch (error) {
			queueMicrotask(() => {
				throw error;
			});
		}
	}
}

/** Any number of listeners a method, where vscode-jsonrpc knows one. */
function createListening(connection: MessageConnection): Connection['onNotification'] {
	const listening = new Map<string, Set<GenericNotificationHandler>>();
	return (method, listener) => {
		const listeners = listening.get(method) ?? new Set();
		listeners.add(listener);
		if (!listening.has(method)) connection.onNotification(method, (params) => tell(listeners, params));
		listening.set(method, listeners);
		return () => listeners.delete(listener);
	};
}

/** Speaks JSON-RPC with a daemon; `initialize` is the caller's first request. */
export function openConnection(streams: DaemonStreams): Connection {
	const { output, input, lost } = streams;
	const connection = createMessageConnection(new StreamMessageReader(output), new StreamMessageWriter(input));
	// What goes wrong with the streams fails the requests, and those tell of it.
	connection.onError(() => {});
	connection.listen();
	let closing: Promise<void> | undefined;

	async function orLost<Result>(work: () => Promise<Result>, signal?: AbortSignal): Promise<Result> {
		try {
			return await Promise.race([lost, work()]);
		} catch (error) {
			if (isAnswer(error)) throw requestError(error);
			if (signal?.aborted || error instanceof ConnectionError) throw error;
			assertOpen();
			// A broken pipe is heard of before the end that broke it, and says less.
			await Promise.race([lost, setTimeout(patience)]);
			throw new ConnectionError(error instanceof Error ? error.message : String(error));
		}
	}

	async function farewell(): Promise<void> {
		try {
			await connection.sendRequest(shutdown.method);
		} catch (error) {
			if (isAnswer(error)) throw requestError(error);
		} finally {
			// Whoever cannot be told has gone already, which is what is wanted.
			await connection.sendNotification(exit.method).catch(() => {});
		}
	}

	async function close(): Promise<void> {
		try {
			await streams.end(farewell);
		} finally {
			connection.dispose();
		}
	}

	function assertOpen(): void {
		if (closing) throw new ConnectionError('the connection to the daemon was closed');
	}

	return {
		async request<Result>(method: string, params: unknown, signal?: AbortSignal) {
			assertOpen();
			return orLost(() => requestUnder<Result>(signal, connection, method, params), signal);
		},
		async notify(method, params) {
			assertOpen();
			return orLost(() => connection.sendNotification(method, params));
		},
		onNotification: createListening(connection),
		onRequest<Params>(
			method: string,
			answer: (params: Params, options: { signal: AbortSignal }) => unknown,
		): () => void {
			const answering = connection.onRequest<unknown, unknown>(
				method,
				async (params: Params, token: CancellationToken) => {
					const { controller, dispose } = linkAbort(token);
					try {
						return await answer(params, { signal: controller.signal });
					} catch (error) {
						if (error instanceof RequestError) throw new ResponseError(error.code, error.message, error.data);
						throw error;
					} finally {
						dispose();
					}
				},
			);
			return () => answering.dispose();
		},
		close() {
			closing ??= close();
			return closing;
		},
	};
}
