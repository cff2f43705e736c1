/** Errors that the daemon answered with. */

import { errorCodes, type FailureKind, isFailureKind } from '../../../server/protocol/errors.ts';

/** The kind of a domain error; undefined for all others. */
export function kindOf(error: unknown): FailureKind | undefined {
	const data = (error as { data?: { kind?: unknown } } | null)?.data;
	return isFailureKind(data?.kind) ? data.kind : undefined;
}

/** Whether an error says that the user cancelled. */
export function isCancelled(error: unknown): boolean {
	if (!(error instanceof Error)) return false;
	return (error as { code?: unknown }).code === errorCodes.requestCancelled || error.name === 'Canceled';
}

/** Codes of what happens to a call whose connection ends: in the way of JSON-RPC, and of Node's streams. */
const lossCodes: ReadonlySet<unknown> = new Set([
	...[-32097, -32098, -32099],
	...['ERR_STREAM_DESTROYED', 'ERR_STREAM_WRITE_AFTER_END', 'EPIPE', 'ECONNRESET'],
]);

/** Whether an error says that the daemon ended before it answered. */
export function isLoss(error: unknown): boolean {
	if (!(error instanceof Error)) return false;
	if (lossCodes.has((error as { code?: unknown }).code)) return true;
	return error.name === 'ConnectionError' || /connection (?:is|got) (?:closed|disposed)/i.test(error.message);
}

/** What an error says. */
export function messageOf(error: unknown): string {
	return error instanceof Error ? error.message : String(error);
}

/** An error with what JSON would leave out of it. */
export function plain(error: unknown): unknown {
	return error instanceof Error ? { ...error, name: error.name, message: error.message } : error;
}
