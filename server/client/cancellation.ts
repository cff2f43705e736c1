/** Cancellation tokens of the wire as the abort signals that they are here. */

import type { CancellationToken } from 'vscode-jsonrpc/node';

/** An abort signal that follows a cancellation token. */
export interface LinkedAbort {
	readonly controller: AbortController;
	/** Lets go of the token. */
	dispose(): void;
}

/** Links a signal to a token. A token that is cancelled from the start never fires, so its flag counts. */
export function linkAbort(token: CancellationToken): LinkedAbort {
	const controller = new AbortController();
	if (token.isCancellationRequested) {
		controller.abort();
		return { controller, dispose: () => {} };
	}
	const subscription = token.onCancellationRequested(() => controller.abort());
	return { controller, dispose: () => subscription.dispose() };
}
