/** Errors from the daemon. */

import { errorCodes, type FailureKind, isFailureKind } from '../../../server/protocol/errors.ts';

/** Returns the kind of a failure; undefined for all other errors. */
export function failureKindOf(error: unknown): FailureKind | undefined {
	const data = (error as { data?: { kind?: unknown } } | null)?.data;
	return isFailureKind(data?.kind) ? data.kind : undefined;
}

/** Returns whether an error means that the user cancelled. */
export function isCancelled(error: unknown): boolean {
	if (!(error instanceof Error)) return false;
	return (error as { code?: unknown }).code === errorCodes.requestCancelled || error.name === 'Canceled';
}

/** Error codes of calls whose connection ends, from JSON-RPC and from Node's streams. */
const lossCodes: ReadonlySet<unknown> = new Set([
	...[-32097, -32098, -32099],
	...['ERR_STREAM_DESTROYED', 'ERR_STREAM_WRITE_AFTER_END', 'EPIPE', 'ECONNRESET'],
]);

/** Returns whether an error means that the daemon ended before it answered. */
export function isDaemonLost(error: unknown): boolean {
	if (!(error instanceof Error)) return false;
	if (lossCodes.has((error as { code?: unknown }).code)) return true;
	return error.name === 'ConnectionError' || /connection (?:is|got) (?:closed|disposed)/i.test(error.message);
}

/** Returns the message of an error. */
export function errorMessageOf(error: unknown): string {
	return error instanceof Error ? error.message : String(error);
}

/** Returns an error as a plain object, with the members that JSON would leave out. */
export function toPlainFailure(error: unknown): unknown {
	return error instanceof Error ? { ...error, name: error.name, message: error.message } : error;
}
