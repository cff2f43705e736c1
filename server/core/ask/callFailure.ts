/** Failures of calls to models, and when a call is retried. */

import type { StageFailure } from '../../protocol/compact.ts';

export interface CallProblem {
	/** Whether the same call may succeed a little later. */
	retryable: boolean;
	/** Milliseconds that the provider asks to wait. */
	retryAfterMs?: number;
	/** Whether the call timed out; it is then not retried. */
	hasTimedOut?: boolean;
}

/** Thrown if a model call returns no answer. The message is for the user and contains no key. */
export class CallFailure extends Error {
	readonly retryable: boolean;
	readonly retryAfterMs: number | undefined;
	readonly hasTimedOut: boolean;

	constructor(message: string, { retryable, retryAfterMs, hasTimedOut = false }: CallProblem) {
		super(message);
		this.name = 'CallFailure';
		this.retryable = retryable;
		this.retryAfterMs = retryAfterMs;
		this.hasTimedOut = hasTimedOut;
	}
}

/** Whether an error is a `CallFailure`. Compares names, because the providers' bundle has its own copy of the class. */
export function isCallFailure(error: unknown): error is CallFailure {
	return error instanceof Error && error.name === 'CallFailure';
}

/** Thrown if a check refuses a model's answer. */
export class RefusedAnswer extends Error {
	readonly failure: StageFailure;

	constructor(failure: StageFailure) {
		super(`${failure.code}: ${failure.message}`);
		this.name = 'RefusedAnswer';
		this.failure = failure;
	}
}

/** Maximum wait that a provider may ask for; if it asks for more, the call fails. Milliseconds. */
const maxRetryAfterMs = 30_000;

/** Milliseconds before the first retry; each further wait is twice as long, up to `maxBackoffMs`. */
const initialBackoffMs = 500;
const maxBackoffMs = 8000;

/**
 * Returns the milliseconds to wait before a call is retried; undefined if it is not retried.
 *
 * @param retries number of retries so far
 * @param remainingMs milliseconds that remain for all attempts together
 */
export function computeRetryMs(
	{ retryable, retryAfterMs = 0, hasTimedOut }: CallProblem,
	{ retries, maxRetries, remainingMs }: { retries: number; maxRetries: number; remainingMs: number },
): number | undefined {
	if (!retryable || hasTimedOut || retries >= maxRetries || retryAfterMs > maxRetryAfterMs) return undefined;
	const wait = Math.max(retryAfterMs, Math.min(maxBackoffMs, initialBackoffMs * 2 ** retries));
	return wait < remainingMs ? wait : undefined;
}
