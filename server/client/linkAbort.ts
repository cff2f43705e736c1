/** Converts cancellation tokens to abort signals, without the code of vscode-jsonrpc. */

import type { CancellationToken } from 'vscode-jsonrpc/node';

/** An abort signal that follows a cancellation token. */
interface LinkedAbort {
	readonly controller: AbortController;
	/** Stops following the token. */
	dispose(): void;
}

/** Links a signal to a token. A token that was cancelled before never fires, so its flag is checked. */
export function linkAbort(token: CancellationToken): LinkedAbort {
	const controller = new AbortController();
	if (token.isCancellationRequested) {
		controller.abort();
		return { controller, dispose: () => {} };
	}
	const subscription = token.onCancellationRequested(() => controller.abort());
	return { controller, dispose: () => subscription.dispose() };
}
