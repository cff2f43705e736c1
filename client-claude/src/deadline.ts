import type { Host } from './host.ts';

/** Thrown if something took too long. */
export class TimeoutError extends Error {
	constructor(what: string, ms: number) {
		super(`${what} took longer than ${ms} ms`);
		this.name = 'TimeoutError';
	}
}

/** Returns the result of a task. Rejects with `TimeoutError` after `ms` milliseconds; the task continues. */
export function withTimeout<Result>(
	host: Host,
	what: string,
	ms: number,
	task: Promise<Result>,
): Promise<Result> {
	const late = host.clock.sleep(ms).then((): never => {
		throw new TimeoutError(what, ms);
	});
	// Nobody waits for the slower of the two.
	late.catch(() => {});
	task.catch(() => {});
	return Promise.race([task, late]);
}
