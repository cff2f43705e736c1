import type { ModelCall } from './calls.ts';

/** Recognizes calls that several transcripts contain: a resumed or copied session has those of its original. */
export class DistinctCalls {
	/** The first time of each id. */
	readonly #times = new Map<string, number>();
	/** Further calls with an id that other calls have too: some agents number the calls of each session. */
	readonly #others = new Set<string>();

	/** Adds a call. Returns whether it is new. */
	add({ id, at }: ModelCall): boolean {
		const first = this.#times.get(id);
		if (first === at) return false;
		if (first === undefined) {
			this.#times.set(id, at);
			return true;
		}
		const known = this.#others.size;
		return this.#others.add(`${id}\0${at}`).size > known;
	}
}
