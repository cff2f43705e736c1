import type { Host } from './host.ts';

/** Is thrown where something took too long. */
export class TooLate extends Error {
	constructor(what: string, ms: number) {
		super(`${what} took longer than ${ms} ms`);
		this.name = 'TooLate';
	}
}

/** What a work gives; rejects with `TooLate` where it has not come after so many milliseconds. The work goes on. */
export function within<Result>(host: Host, what: string, ms: number, work: Promise<Result>): Promise<Result> {
	const late = host.clock.sleep(ms).then((): never => {
		throw new TooLate(what, ms);
	});
	// Whichever comes second is nobody's any more.
	late.catch(() => {});
	work.catch(() => {});
	return Promise.race([work, late]);
}
