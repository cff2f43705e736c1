/** Measures how long clients wait for their answers. */

import { expect } from 'vitest';
import { isSoak } from './soak.ts';

/** Maximum milliseconds that a client may wait on a machine that also runs other tests. */
const maxWaitMs = 20_000;

export class Waits {
	readonly #all: number[] = [];

	/** Waits for a promise, records how long it took, and returns its value. */
	async of<T>(answer: Promise<T>): Promise<T> {
		const began = performance.now();
		const result = await answer;
		this.#all.push(performance.now() - began);
		return result;
	}

	/** Checks the longest wait; a soak test prints it. */
	check(what: string): void {
		const sorted = this.#all.sort((a, b) => a - b);
		const [p99 = 0, longest = 0] = [sorted[Math.floor(sorted.length * 0.99)], sorted.at(-1)];
		if (isSoak) {
			console.log(`${what}: ${sorted.length} waits, p99 ${p99.toFixed(0)} ms, max ${longest.toFixed(0)} ms`);
		}
		expect(longest).toBeLessThan(maxWaitMs);
	}
}
