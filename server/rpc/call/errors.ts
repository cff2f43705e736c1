import { AnswerError, Failure } from '../../core/failure.ts';
import { isFields } from '../../core/shape.ts';
import { errorCodes, failureCodes } from '../../protocol/errors.ts';
import type { Logger } from '../../session/ports.ts';

/** Returns the error -32800, for a cancelled request. */
export function createCancelledError(method: string): AnswerError {
	return new AnswerError(errorCodes.requestCancelled, `${method} was cancelled`);
}

/** Returns the error -32602, for invalid params. */
export function createInvalidParamsError(problem: string): AnswerError {
	return new AnswerError(errorCodes.invalidParams, problem);
}

/**
 * Returns the error for a failed `initialize`, with the `retry` of LSP's `InitializeError` in its data.
 *
 * `retry` is true unless the params are invalid, because the same params would fail again.
 */
export function toInitializeError(error: unknown): unknown {
	if (!(error instanceof AnswerError)) return error;
	const { code, message, data } = error;
	return new AnswerError(code, message, {
		...(isFields(data) && data),
		retry: code !== errorCodes.invalidParams,
	});
}

/** Returns an error with its stack and its causes, for the log. */
export function formatError(error: unknown): string {
	if (!(error instanceof Error)) return String(error);
	const cause = error.cause === undefined ? '' : `\ncaused by ${formatError(error.cause)}`;
	return `${error.stack ?? error.message}${cause}`;
}

/**
 * Returns the error response for a handler that threw.
 *
 * A `Failure` keeps its message, with its kind in `data.kind`. Any other error becomes -32800 if the request was
 * cancelled, else -32603 without details, which are only logged.
 */
export function toAnswerError(
	error: unknown,
	request: { method: string; signal: AbortSignal; logger: Logger },
): AnswerError {
	const { method, signal, logger } = request;
	if (error instanceof AnswerError) return error;
	if (error instanceof Failure) {
		if (error.cause !== undefined) logger.warn(`${method}: ${formatError(error)}`);
		return new AnswerError(failureCodes[error.kind], error.message, { ...error.data, kind: error.kind });
	}
	if (signal.aborted) {
		if (error !== signal.reason) logger.debug(`${method} was cancelled: ${formatError(error)}`);
		return createCancelledError(method);
	}
	logger.error(`${method} failed: ${formatError(error)}`);
	return new AnswerError(errorCodes.internalError, `${method} failed with an internal error; see the log`);
}
