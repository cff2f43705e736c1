import type { Logger } from '../../session/ports.ts';
import type { ClientConnection } from './client.ts';
import type { ProgressReporter } from './progress.ts';

/** What a request handler gets beside its params. */
export interface RequestContext {
	/** Aborts when the client cancels the request, or when the daemon must leave. */
	signal: AbortSignal;
	client: ClientConnection;
	/** Under the request's `workDoneToken`; silent without one, ended when the handler is done. */
	progress: ProgressReporter;
	/** The daemon's, which tells the client too. */
	log: Logger;
}

/** A method that answers. */
export interface RequestMethod {
	method: string;
	/**
	 * Checks the params, where absent and null ones count as `{}`, and does the work. Runs up to its first await in
	 * the order in which requests arrive. Throws -32602 for params that do not fit.
	 * @param root what error messages call the params (default `params`)
	 */
	handle(params: unknown, context: RequestContext, root?: string): unknown;
}

/** A method that is only told something. */
export interface NotificationMethod {
	method: string;
	/** Checks the params and takes note. Throws -32602 for params that do not fit. */
	handle(params: unknown, log: Logger): unknown;
}
