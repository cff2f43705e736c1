/** Converts between abort signals, which callers use, and the connection's cancellation tokens. */

import { type CancellationToken, CancellationTokenSource, type MessageConnection } from 'vscode-jsonrpc/node';
import { rejectIfAborted } from '../core/failure.ts';

/**
 * Sends a request and returns its result.
 * If the signal is aborted, cancels the request at the other side and rejects with the signal's reason.
 */
export async function requestWithSignal<Result>(
	signal: AbortSignal | undefined,
	connection: MessageConnection,
	method: string,
	params: unknown,
): Promise<Result> {
	if (signal === undefined) return connection.sendRequest<Result>(method, params);
	signal.throwIfAborted();
	const source = new CancellationTokenSource();
	const cancel = (): void => source.cancel();
	signal.addEventListener('abort', cancel, { once: true });
	try {
		return await rejectIfAborted(connection.sendRequest<Result>(method, params, source.token), signal);
	} finally {
		signal.removeEventListener('abort', cancel);
		source.dispose();
	}
}

/** Returns a controller that is aborted when the token is cancelled, until `dispose` is called. */
export function linkAbort(token: CancellationToken): { controller: AbortController; dispose(): void } {
	const controller = new AbortController();
	const { dispose } = token.onCancellationRequested(() => controller.abort());
	return { controller, dispose };
}
