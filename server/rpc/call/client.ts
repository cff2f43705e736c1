import { type MessageConnection, type ProgressToken, ResponseError } from 'vscode-jsonrpc/node';
import { requestUnder } from '../../client/cancellation.ts';
import { AnswerError } from '../../core/answerError.ts';
import type { NotificationSignature } from '../../protocol/declaration.ts';
import { progress } from '../../protocol/lsp.ts';
import type { Logger } from '../../session/ports.ts';
import { type ProgressReporter, SentProgress, silentProgress } from './progress.ts';

/** The client of a connection. */
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
	/** Reports progress under the client's token; a no-op without one. */
	progress(token: ProgressToken | undefined): ProgressReporter;
}

/** The client, and control over the connection to it. */
export interface ClientControl {
	client: ConnectedClient;
	/** Rejects pending requests, because no answer can arrive any more. */
	closeInput(): void;
	/** Stops sending, because nothing can be written any more. */
	closeOutput(): void;
}

/** Wraps a connection so that sending to a disconnected client is not an error. */
export function createClient(connection: MessageConnection, logger: Logger): ClientControl {
	const waiting = new Set<(error: Error) => void>();
	let canAnswer = true;
	let canListen = true;

	async function notify<Params>({ method }: NotificationSignature<Params>, params: Params): Promise<void> {
		if (!canListen) return;
		try {
			await connection.sendNotification(method, params);
		} catch (error) {
			if (canListen) logger.error(`could not send ${method}: ${error}`);
		}
	}

	async function request(method: string, params: unknown, signal?: AbortSignal): Promise<unknown> {
		signal?.throwIfAborted();
		if (!canAnswer || !canListen) throw new Error(`${method}: the client has closed the connection`);
		let giveUp: (error: Error) => void = () => {};
		const abandoned = new Promise<never>((_, reject) => {
			giveUp = reject;
		});
		waiting.add(giveUp);
		try {
			return await Promise.race([requestUnder(signal, connection, method, params), abandoned]);
		} catch (error) {
			throw error instanceof ResponseError ? new AnswerError(error.code, error.message, error.data) : error;
		} finally {
			waiting.delete(giveUp);
		}
	}

	function closeInput(): void {
		canAnswer = false;
		for (const giveUp of waiting) giveUp(new Error('the client has closed the connection'));
	}

	return {
		client: {
			notify,
			request,
			progress: (token) =>
				token === undefined ? silentProgress : new SentProgress(token, (params) => notify(progress, params)),
		},
		closeInput,
		closeOutput() {
			canListen = false;
			closeInput();
		},
	};
}
