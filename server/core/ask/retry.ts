/** When a call that brought no answer is made again. */

import type { CallProblem } from './callFailure.ts';

/** Milliseconds: whoever wants to be left alone for longer has failed. */
export const longestRetryAfter = 30_000;

/** Milliseconds before the first retry; each further one waits twice as long, up to the longest. */
const firstBackoff = 500;
const longestBackoff = 8000;

/**
 * Milliseconds to wait before a call is made again; undefined where it is not.
 *
 * @param retried how often it was made again already, of `maxRetries`; `left` the milliseconds that are left in all.
 */
export function waitBeforeRetry(
	{ retryable, retryAfterMs = 0, timedOut }: CallProblem,
	{ retried, maxRetries, left }: { retried: number; maxRetries: number; left: number },
): number | undefined {
	if (!retryable || timedOut || retried >= maxRetries || retryAfterMs > longestRetryAfter) return undefined;
	const wait = Math.max(retryAfterMs, Math.min(longestBackoff, firstBackoff * 2 ** retried));
	return wait < left ? wait : undefined;
}
