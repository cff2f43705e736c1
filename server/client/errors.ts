/** Errors of a client's calls. */

import type { FailureKind } from '../protocol/errors.ts';

/** The daemon's error response to a request. */
export class RequestError extends Error {
	/** A code of JSON-RPC or LSP, or one of contextd's own (from -31999 up). */
	readonly code: number;
	/** Kind of one of contextd's own errors. A newer daemon may have others. */
	readonly kind: FailureKind | (string & {}) | undefined;
	/** The `data` member of the error response. */
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

/** The daemon could not be started, or ended without being asked to. */
export class ConnectionError extends Error {
	constructor(message: string) {
		super(message);
		this.name = 'ConnectionError';
	}
}

/** Maximum depth of nested causes that are sent. */
const maxCauseDepth = 4;

/** Whether a value can be written as JSON. False for an object that refers to itself. */
function fitsJson(value: unknown): boolean {
	try {
		return JSON.stringify(value) !== undefined;
	} catch {
		return false;
	}
}

/** Returns an error as a plain object, with its causes and extra members; other values unchanged. */
export function convertError(error: unknown, depth = 0): unknown {
	if (!(error instanceof Error)) return error;
	const members = Object.entries(error).filter(([, value]) => fitsJson(value));
	const cause = depth < maxCauseDepth &&
		error.cause !== undefined && { cause: convertError(error.cause, depth + 1) };
	return { ...Object.fromEntries(members), name: error.name, message: error.message, ...cause };
}
