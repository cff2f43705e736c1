/** Classifies errors of requests to the daemon. */

import { errorCodes, type FailureKind, isFailureKind } from '../../../server/protocol/errors.ts';

/** Returns the kind of a failure that the daemon reported; undefined for all other errors. */
export function getFailureKind(error: unknown): FailureKind | undefined {
	const data = (error as { data?: { kind?: unknown } } | null)?.data;
	return isFailureKind(data?.kind) ? data.kind : undefined;
}

/** Returns whether an error means that the user cancelled. */
export function isCancelled(error: unknown): boolean {
	if (!(error instanceof Error)) return false;
	return (error as { code?: unknown }).code === errorCodes.requestCancelled || error.name === 'Canceled';
}

/** Error codes of JSON-RPC and of Node's streams for calls whose connection ended. */
const connectionLossCodes: ReadonlySet<unknown> = new Set([
	...[-32097, -32098, -32099],
	...['ERR_STREAM_DESTROYED', 'ERR_STREAM_WRITE_AFTER_END', 'EPIPE', 'ECONNRESET'],
]);

/** Returns whether an error means that the daemon ended before it answered. */
export function isDaemonLost(error: unknown): boolean {
	if (!(error instanceof Error)) return false;
	if (connectionLossCodes.has((error as { code?: unknown }).code)) return true;
	return error.name === 'ConnectionError' || /connection (?:is|got) (?:closed|disposed)/i.test(error.message);
}
