import type { ModelCall } from './calls.ts';

/** Recognizes calls that several transcripts contain: a resumed or copied session has those of its original. */
export class DistinctCalls {
	/** The first time of each id, by agent. */
	readonly #times = new Map<string, Map<string, number>>();
	/** Further calls with an id that other calls have too: some agents number the calls of each session. */
	readonly #others = new Set<string>();

	/** Adds a call of an agent. Returns whether it is new. */
	add(agent: string, { id, at }: ModelCall): boolean {
		const times = this.#times.get(agent) ?? new Map<string, number>();
		this.#times.set(agent, times);
		const first = times.get(id);
		if (first === at) return false;
		if (first === undefined) {
			times.set(id, at);
			return true;
		}
		const known = this.#others.size;
		return this.#others.add(`${agent}\0${id}\0${at}`).size > known;
	}
}
