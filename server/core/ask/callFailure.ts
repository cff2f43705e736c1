/** Why a model gave no answer, or none that may be used, and when it is asked again. */

import type { StageFailure } from '../../protocol/compact.ts';

export interface CallProblem {
	/** Whether the same call may succeed a little later. */
	retryable: boolean;
	/** Milliseconds that the other side wants to be left alone for. */
	retryAfterMs?: number;
	/** It had its time: whoever did not answer in it is not asked again. */
	timedOut?: boolean;
}

/** A call that brought no answer; its message is for the user, and holds no key. */
export class CallFailure extends Error {
	readonly retryable: boolean;
	readonly retryAfterMs: number | undefined;
	readonly timedOut: boolean;

	constructor(message: string, { retryable, retryAfterMs, timedOut = false }: CallProblem) {
		super(message);
		this.name = 'CallFailure';
		this.retryable = retryable;
		this.retryAfterMs = retryAfterMs;
		this.timedOut = timedOut;
	}
}

/** Whether an error is one. By its name: the bundle of the providers has a copy of the class that is not this one. */
export function isCallFailure(error: unknown): error is CallFailure {
	return error instanceof Error && error.name === 'CallFailure';
}

/** An answer that came and may not be used; the code that checks answers throws it. */
export class RefusedAnswer extends Error {
	readonly failure: StageFailure;

	constructor(failure: StageFailure) {
		super(`${failure.code}: ${failure.message}`);
		this.name = 'RefusedAnswer';
		this.failure = failure;
	}
}

/** Milliseconds. A provider that asks to wait longer counts as failed. */
const maxRetryAfterMs = 30_000;

/** Milliseconds before the first retry; each further one waits twice as long, up to the maximum. */
const initialBackoffMs = 500;
const maxBackoffMs = 8000;

/**
 * Milliseconds to wait before a call is made again; undefined if it is not retried.
 *
 * @param retried retries so far, of `maxRetries`; `left`: milliseconds that remain for all attempts.
 */
export function waitBeforeRetry(
	{ retryable, retryAfterMs = 0, timedOut }: CallProblem,
	{ retried, maxRetries, left }: { retried: number; maxRetries: number; left: number },
): number | undefined {
	if (!retryable || timedOut || retried >= maxRetries || retryAfterMs > maxRetryAfterMs) return undefined;
	const wait = Math.max(retryAfterMs, Math.min(maxBackoffMs, initialBackoffMs * 2 ** retried));
	return wait < left ? wait : undefined;
}
