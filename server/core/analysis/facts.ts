/** Kinds of facts: names that an agent must repeat letter by letter, which a paraphrase would lose. */
export const identifier = 0;
export const path = 1;
export const number = 2;
export const hash = 3;
export const urlFact = 4;
export const errorLine = 5;

/**
 * Numbers the distinct facts. Facts are compared by 52 bits of hash and never stored as text, since a slice of a
 * message would keep the whole message in memory.
 */
export interface FactNumbers {
	numbers: Map<number, number>;
	/** By fact, its kind. */
	kinds: number[];
}

/** Returns an index without facts. */
export function createFactNumbers(): FactNumbers {
	return { numbers: new Map(), kinds: [] };
}

/** Returns the number of the fact at `from..to` (UTF-16 units) of a text; a new one if the index does not have it. */
export function factAt(
	{ numbers, kinds }: FactNumbers,
	text: string,
	{ from, to }: { from: number; to: number },
	kind: number,
): number {
	// FNV-1a next to a second multiplier (from the golden ratio), so that the two halves fail independently.
	let first = 0x811c9dc5 | 0;
	let second = to - from;
	for (let position = from; position < to; position++) {
		const code = text.charCodeAt(position);
		first = Math.imul(first ^ code, 0x01000193);
		second = Math.imul(second, 0x9e3779b1) + code;
	}
	second ^= second >>> 15;
	const key = (first >>> 0) * 2 ** 20 + ((second >>> 0) & 0xfffff);
	const known = numbers.get(key);
	if (known !== undefined) return known;
	numbers.set(key, kinds.length);
	return kinds.push(kind) - 1;
}
