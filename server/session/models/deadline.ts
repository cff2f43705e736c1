/** How long an answer of somebody else is waited for. */

import { CallFailure } from '../../core/ask/callFailure.ts';

function outOfTime(ms: number): CallFailure {
	return new CallFailure(`no answer within ${ms} ms`, { retryable: true, timedOut: true });
}

/**
 * Runs work for so many milliseconds at most. Work is given a signal that is aborted when its time is up or the outer
 * signal is; from then on nobody waits for it, whether it heeds the signal or not. Rejects with the outer signal's
 * reason, or with an error that names the time.
 *
 * A timer of its own, since the signals that `AbortSignal.any` and `AbortSignal.timeout` give may be collected as
 * garbage before they are aborted.
 */
export async function withDeadline<T>(
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
	const timer = setTimeout(() => controller.abort(outOfTime(ms)), ms);
	outer.addEventListener('abort', pass, { once: true });
	try {
		return await Promise.race([work(signal), aborted]);
	} finally {
		clearTimeout(timer);
		outer.removeEventListener('abort', pass);
	}
}
