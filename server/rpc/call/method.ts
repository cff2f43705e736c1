import type { ZodType } from 'zod';
import type { ClientConnection } from './client.ts';
import type { WorkDoneProgress } from './progress.ts';

/** What a request handler gets beside its params. */
export interface RequestContext {
	/** Aborts when the client cancels the request, or when the daemon must leave. */
	signal: AbortSignal;
	client: ClientConnection;
	/** Under the request's `workDoneToken`; silent without one, ended when the handler is done. */
	progress: WorkDoneProgress;
}

/** A method that answers. */
export interface RequestMethod {
	method: string;
	/** Checked before the handler runs; absent and null params count as `{}`. */
	params: ZodType;
	/**
	 * Gets the params as they came, unknown fields included. Runs up to its first await in the order in
	 * which requests arrive.
	 */
	handle(params: unknown, context: RequestContext): unknown;
}

/** A method that is only told something. */
export interface NotificationMethod {
	method: string;
	params: ZodType;
	handle(params: unknown, context: { client: ClientConnection }): unknown;
}
