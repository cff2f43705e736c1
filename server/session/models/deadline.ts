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
	outer: AbortSignal,
	work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
	outer.throwIfAborted();
	const controller = new AbortController();
	const { signal } = controller;
	const pass = (): void => controller.abort(outer.reason);
	const aborted = new Promise<never>((_, reject) => {
		signal.addEventListener('abort', () => reject(signal.reason), { once: true });
	});
	const timer = setTimeout(() => controller.abort(createTimeoutFailure(ms)), ms);
	outer.addEventListener('abort', pass, { once: true });
	try {
		return await Promise.race([work(signal), aborted]);
	} finally {
		clearTimeout(timer);
		outer.removeEventListener('abort', pass);
	}
}
