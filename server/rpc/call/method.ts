import type { Logger } from '../../session/ports.ts';
import type { ConnectedClient } from './client.ts';
import type { ProgressReporter } from './progress.ts';

/** What a request handler gets besides the params. */
export interface CallContext {
	/** Aborted when the client cancels the request, or when the daemon stops. */
	signal: AbortSignal;
	client: ConnectedClient;
	/** Reports progress under the request's `workDoneToken`, if there is one. The progress ends with the handler. */
	progress: ProgressReporter;
	/** The daemon's log, which also goes to the client. */
	log: Logger;
}

/** A method with a response. */
export interface RequestMethod {
	method: string;
	/**
	 * Validates the params (absent or null params count as `{}`) and handles the request.
	 *
	 * Runs up to its first `await` in the order in which requests arrive. Throws -32602 for invalid params.
	 * @param root name of the params in error messages; by default `params`
	 */
	handle(params: unknown, context: CallContext, root?: string): unknown;
}

/** A method without a response. */
export interface NotificationMethod {
	method: string;
	/** Validates the params and handles the notification. Throws -32602 for invalid params. */
	handle(params: unknown, log: Logger): unknown;
}
