import { ErrorCodes, ResponseError } from 'vscode-jsonrpc/node';
import { Failure } from '../core/failure.ts';
import type { FailureKind } from '../protocol/errors.ts';
import type { Logger } from '../session/ports.ts';
import { shown } from './shown.ts';

/** LSP's code for a request that was cancelled by the client. */
const REQUEST_CANCELLED = -32800;

/** The code on the wire of each kind of failure. */
const FAILURE_CODES: Readonly<Record<FailureKind, number>> = {
	SessionNotFound: -31999,
	SessionLocked: -31998,
	MessageNotFound: -31997,
	CompactionNotFound: -31996,
	CheckpointNotFound: -31995,
	OutsideWorkspace: -31994,
	FileUnreadable: -31993,
	StorageFailed: -31992,
	SummarizerFailed: -31991,
	TooLarge: -31990,
	UnsupportedFormat: -31989,
	ContextBudgetExceeded: -31988,
	ReadOnlySession: -31987,
	InvalidParams: ErrorCodes.InvalidParams,
};

/** -32800, for a request that was cancelled. */
export function cancelled(method: string): ResponseError<void> {
	return new ResponseError(REQUEST_CANCELLED, `${method} was cancelled`);
}

/** -32602, for params that do not fit. */
export function invalidParams(problem: string): ResponseError<void> {
	return new ResponseError(ErrorCodes.InvalidParams, problem);
}

/** -32601, for a method that nobody serves. */
export function methodNotFound(method: string): ResponseError<void> {
	return new ResponseError(ErrorCodes.MethodNotFound, `unknown method ${shown(method)}`);
}

function fullText(error: unknown): string {
	if (!(error instanceof Error)) return String(error);
	const cause = error.cause === undefined ? '' : `\ncaused by ${fullText(error.cause)}`;
	return `${error.stack ?? error.message}${cause}`;
}

/**
 * The error that answers a request whose handler threw. A failure keeps its message and says its kind in
 * `data.kind`; after a cancellation all else is -32800; what nobody expected is -32603 without any detail,
 * which goes to the log.
 */
export function toResponseError(
	error: unknown,
	request: { method: string; signal: AbortSignal; logger: Logger },
): ResponseError<unknown> {
	const { method, signal, logger } = request;
	if (error instanceof ResponseError) return error;
	if (error instanceof Failure) {
		if (error.cause !== undefined) logger.warn(`${method}: ${fullText(error)}`);
		return new ResponseError(FAILURE_CODES[error.kind], error.message, { ...error.data, kind: error.kind });
	}
	if (signal.aborted) {
		if (error !== signal.reason) logger.debug(`${method} was cancelled: ${fullText(error)}`);
		return cancelled(method);
	}
	logger.error(`${method} failed: ${fullText(error)}`);
	return new ResponseError(ErrorCodes.InternalError, `${method} failed with an internal error; see the log`);
}
