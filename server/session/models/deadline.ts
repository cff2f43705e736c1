/** Limits how long a caller waits for work. */

import { CallFailure } from '../../core/ask/callFailure.ts';

function createTimeoutFailure(ms: number): CallFailure {
	return new CallFailure(`no answer within ${ms} ms`, { retryable: true, hasTimedOut: true });
}

/**
 * Runs work for at most `ms` milliseconds.
 *
 * When the time is up, rejects with an error that names the time; when the outer signal is aborted, with its
 * reason. Then also aborts the work's signal, but does not wait for the work to end.
 *
 * Uses a timer, since signals of `AbortSignal.any` and `AbortSignal.timeout` may be garbage collected before
 * they are aborted.
 */
export async function runWithDeadline<T>(
	ms: number,
	outerSignal: AbortSignal,
	task: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
	outerSignal.throwIfAborted();
	const controller = new AbortController();
	const { signal } = controller;
	const forwardAbort = (): void => controller.abort(outerSignal.reason);
	const aborted = new Promise<never>((_, reject) => {
		signal.addEventListener('abort', () => reject(signal.reason), { once: true });
	});
	const timer = setTimeout(() => controller.abort(createTimeoutFailure(ms)), ms);
	outerSignal.addEventListener('abort', forwardAbort, { once: true });
	try {
		return await Promise.race([task(signal), aborted]);
	} finally {
		clearTimeout(timer);
		outerSignal.removeEventListener('abort', forwardAbort);
	}
}
