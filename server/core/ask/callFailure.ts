/** Why a model gave no answer. */

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
