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

/** Causes of causes that are told. */
const deepestCause = 4;

/** Whether JSON has something for a value; what holds a socket, say, leads back to itself. */
function fitsJson(value: unknown): boolean {
	try {
		return JSON.stringify(value) !== undefined;
	} catch {
		return false;
	}
}

/** An error as JSON can carry it, with its causes and what a provider's library put on it; anything else as it is. */
export function plainError(error: unknown, depth = 0): unknown {
	if (!(error instanceof Error)) return error;
	const members = Object.entries(error).filter(([, value]) => fitsJson(value));
	const cause = depth < deepestCause &&
		error.cause !== undefined && { cause: plainError(error.cause, depth + 1) };
	return { ...Object.fromEntries(members), name: error.name, message: error.message, ...cause };
}
