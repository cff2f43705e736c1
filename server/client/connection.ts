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
import { errorText } from '../core/failure.ts';
import { exit, shutdown } from '../protocol/lifecycle.ts';
import { linkAbort, requestWithSignal } from './cancellation.ts';
import { ConnectionError, RequestError } from './errors.ts';

/** The streams to a daemon, with functions to end it and a promise that reports its end. */
export interface DaemonStreams {
	/** The stream that the daemon writes. */
	output: Readable;
	/** The stream that the daemon reads. */
	input: Writable;
	/** Rejects with a `ConnectionError` when the daemon ends without being asked to; never resolves. */
	lost: Promise<never>;
	/**
	 * Resolves when the daemon has ended; kills it if it does not end in time.
	 * @param farewell asks the daemon to end; called if it is still running
	 */
	end(farewell: () => Promise<void>): Promise<void>;
	kill(): void;
}

/** A connection to a daemon, for methods of any name. */
export interface DaemonConnection {
	/** Sends a request and returns its result. Rejects like `Client.request`. */
	request<Result>(method: string, params: unknown, signal?: AbortSignal): Promise<Result>;
	/** Sends a notification. Rejects with a `ConnectionError` if the daemon has ended. */
	notify(method: string, params: unknown): Promise<void>;
	/** Listens to a notification of the daemon. Returns a function that stops listening. */
	onNotification<Params>(method: string, listener: (params: Params) => void): () => void;
	/** Handles a request of the daemon, one handler per method. Returns a function that removes the handler. */
	onRequest<Params, Result>(
		method: string,
		answer: (params: Params, options: { signal: AbortSignal }) => Result | Promise<Result>,
	): () => void;
	/** Sends `shutdown` and `exit`; resolves when the daemon has ended. Repeated calls return the same promise. */
	close(): Promise<void>;
}

/** Milliseconds to wait after a failure for the daemon's end, which may be the cause of the failure. */
const endDelayMs = 1000;

/** Error codes of vscode-jsonrpc itself, for requests that were not sent or cannot be answered. */
const unansweredCodes: readonly number[] = [
	ErrorCodes.MessageWriteError,
	ErrorCodes.PendingResponseRejected,
	ErrorCodes.ConnectionInactive,
];

function isAnswer(error: unknown): error is ResponseError<unknown> {
	return error instanceof ResponseError && !unansweredCodes.includes(error.code);
}

function toRequestError({ code, message, data }: ResponseError<unknown>): RequestError {
	return new RequestError(code, message, data);
}

/** Calls all listeners; rethrows an exception asynchronously, so that the other listeners still run. */
function callListeners(listeners: ReadonlySet<GenericNotificationHandler>, params: unknown): void {
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

/** Returns an `onNotification` with any number of listeners per method; vscode-jsonrpc allows one. */
function createOnNotification(connection: MessageConnection): DaemonConnection['onNotification'] {
	const listenersByMethod = new Map<string, Set<GenericNotificationHandler>>();
	return (method, listener) => {
		const listeners = listenersByMethod.get(method) ?? new Set();
		listeners.add(listener);
		if (!listenersByMethod.has(method))
			connection.onNotification(method, (params) => callListeners(listeners, params));
		listenersByMethod.set(method, listeners);
		return () => listeners.delete(listener);
	};
}

/** Opens a JSON-RPC connection to a daemon; the caller must send `initialize` first. */
export function openConnection(streams: DaemonStreams): DaemonConnection {
	const { output, input, lost } = streams;
	const connection = createMessageConnection(new StreamMessageReader(output), new StreamMessageWriter(input));
	// Stream errors fail the requests, which report them.
	connection.onError(() => {});
	connection.listen();
	let closing: Promise<void> | undefined;

	async function rejectIfLost<Result>(task: () => Promise<Result>, signal?: AbortSignal): Promise<Result> {
		try {
			return await Promise.race([lost, task()]);
		} catch (error) {
			if (isAnswer(error)) throw toRequestError(error);
			if (signal?.aborted || error instanceof ConnectionError) throw error;
			assertOpen();
			// A broken pipe is noticed before the daemon's end, but the error about the end says more.
			await Promise.race([lost, setTimeout(endDelayMs)]);
			throw new ConnectionError(errorText(error));
		}
	}

	async function sendFarewell(): Promise<void> {
		try {
			await connection.sendRequest(shutdown.method);
		} catch (error) {
			if (isAnswer(error)) throw toRequestError(error);
		} finally {
			// If `exit` cannot be sent, the daemon has already ended.
			await connection.sendNotification(exit.method).catch(() => {});
		}
	}

	async function close(): Promise<void> {
		try {
			await streams.end(sendFarewell);
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
			return rejectIfLost(() => requestWithSignal<Result>(signal, connection, method, params), signal);
		},
		async notify(method, params) {
			assertOpen();
			return rejectIfLost(() => connection.sendNotification(method, params));
		},
		onNotification: createOnNotification(connection),
		onRequest<Params>(
			method: string,
			answer: (params: Params, options: { signal: AbortSignal }) => unknown,
		): () => void {
			const registration = connection.onRequest<unknown, unknown>(
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
			return () => registration.dispose();
		},
		close() {
			closing ??= close();
			return closing;
		},
	};
}
