/** What a client's calls fail with. */

import type { FailureKind } from '../protocol/errors.ts';

/** The daemon's answer to a request that it could not serve. */
export class RequestError extends Error {
	/** A code of JSON-RPC or LSP, or one of contextd's own (from -31999 up). */
	readonly code: number;
	/** Of contextd's own: what went wrong. A newer daemon may know others. */
	readonly kind: FailureKind | (string & {}) | undefined;
	/** What the answer holds beside its code and message. */
	readonly data: unknown;

	constructor(code: number, message: string, data?: unknown) {
		super(message);
		this.name = 'RequestError';
		this.code = code;
		this.data = data;
		const hasKind = typeof data === 'object' && data !== null && 'kind' in data;
		this.kind = hasKind && typeof data.kind === 'string' ? data.kind : undefined;
	}
}

/** The daemon could not be started, or ended before it was told to. */
export class ConnectionError extends Error {
	constructor(message: string) {
		super(message);
		this.name = 'ConnectionError';
	}
}

/** An error as JSON can carry it, with what a provider's library put on it; anything else as it is. */
export function plainError(error: unknown): unknown {
	return error instanceof Error ? { ...error, name: error.name, message: error.message } : error;
}
