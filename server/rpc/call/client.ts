import { type MessageConnection, type ProgressToken, ResponseError } from 'vscode-jsonrpc/node';
import { requestUnder } from '../../client/requestUnder.ts';
import { AnswerError } from '../../core/answerError.ts';
import type { NotificationSignature } from '../../protocol/declaration.ts';
import { progress } from '../../protocol/lsp.ts';
import type { Logger } from '../../session/ports.ts';
import { createProgress, type ProgressReporter, silentProgress } from './progress.ts';

/** The client at the other end. */
export interface ClientConnection {
	/** Sends a notification. Resolves once it is written; resolves too when the client is gone. */
	notify<Params>(declaration: NotificationSignature<Params>, params: Params): Promise<void>;
	/**
	 * Sends a request and gives its result. Rejects with the client's error, with the signal's reason once
	 * that aborts (the client is told to cancel), or when the client can answer no more.
	 */
	request(method: string, params: unknown, signal?: AbortSignal): Promise<unknown>;
	/** Progress under the client's token; silent without one. */
	progress(token: ProgressToken | undefined): ProgressReporter;
}

/** What the floor itself may do with the connection to the client. */
export interface ClientControl {
	client: ClientConnection;
	/** No answer can come any more: rejects what waits for one. */
	closeInput(): void;
	/** Nothing can be sent any more. */
	closeOutput(): void;
}

/** Wraps a connection, so that a client that left is no error to whoever tells it something. */
export function createClient(connection: MessageConnection, logger: Logger): ClientControl {
	const waiting = new Set<(error: Error) => void>();
	let canAnswer = true;
	let canListen = true;

	async function notify<Params>({ method }: NotificationSignature<Params>, params: Params): Promise<void> {
		if (!canListen) return;
		try {
			await connection.sendNotification(method, params);
		} catch (error) {
			if (canListen) logger.error(`${method} could not be sent: ${error}`);
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
				token === undefined ? silentProgress : createProgress(token, (params) => notify(progress, params)),
		},
		closeInput,
		closeOutput() {
			canListen = false;
			closeInput();
		},
	};
}
