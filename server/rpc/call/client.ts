import { type MessageConnection, type ProgressToken, ResponseError } from 'vscode-jsonrpc/node';
import { requestWithSignal } from '../../client/cancellation.ts';
import { AnswerError } from '../../core/failure.ts';
import type { NotificationSignature } from '../../protocol/declaration.ts';
import { progress } from '../../protocol/lsp.ts';
import type { Logger } from '../../session/ports.ts';
import { ProgressNotifier, type ProgressReporter, silentProgress } from './progress.ts';

/** The client at the other side of a connection. */
export interface ConnectedClient {
	/** Sends a notification. Resolves when it is written, and also if the client has disconnected. */
	notify<Params>(declaration: NotificationSignature<Params>, params: Params): Promise<void>;
	/**
	 * Sends a request and returns its result.
	 *
	 * Rejects with the client's error, or when the client can no longer answer. If the signal is aborted, cancels the request
	 * at the client and rejects with the signal's reason.
	 */
	request(method: string, params: unknown, signal?: AbortSignal): Promise<unknown>;
	/** Returns a reporter of progress under the client's token; it does nothing if there is no token. */
	createProgress(token: ProgressToken | undefined): ProgressReporter;
}

/** A connected client, and the functions that end each direction of its connection. */
export type ClientControl = ReturnType<typeof createClient>;

/** Wraps a connection so that sending to a disconnected client is not an error. */
export function createClient(connection: MessageConnection, logger: Logger) {
	const pendingRejects = new Set<(error: Error) => void>();
	let canClientAnswer = true;
	let canClientListen = true;

	async function notify<Params>({ method }: NotificationSignature<Params>, params: Params): Promise<void> {
		if (!canClientListen) return;
		try {
			await connection.sendNotification(method, params);
		} catch (error) {
			if (canClientListen) logger.error(`could not send ${method}: ${error}`);
		}
	}

	async function request(method: string, params: unknown, signal?: AbortSignal): Promise<unknown> {
		signal?.throwIfAborted();
		if (!canClientAnswer || !canClientListen)
			throw new Error(`${method}: the client has closed the connection`);
		let giveUp: (error: Error) => void = () => {};
		const clientGone = new Promise<never>((_, reject) => {
			giveUp = reject;
		});
		pendingRejects.add(giveUp);
		try {
			return await Promise.race([requestWithSignal(signal, connection, method, params), clientGone]);
		} catch (error) {
			throw error instanceof ResponseError ? new AnswerError(error.code, error.message, error.data) : error;
		} finally {
			pendingRejects.delete(giveUp);
		}
	}

	function closeInput(): void {
		canClientAnswer = false;
		for (const giveUp of pendingRejects) giveUp(new Error('the client has closed the connection'));
	}

	const client: ConnectedClient = {
		notify,
		request,
		createProgress: (token) =>
			token === undefined
				? silentProgress
				: new ProgressNotifier(token, (params) => notify(progress, params)),
	};
	return {
		client,
		/** Rejects pending requests, because the input has ended. */
		closeInput,
		/** Stops sending, because the output has ended. */
		closeOutput() {
			canClientListen = false;
			closeInput();
		},
	};
}
