/** Kinds of facts: names that an agent must write again letter by letter, so that a paraphrase loses them. */
export const identifier = 0;
export const path = 1;
export const number = 2;
export const hash = 3;
export const urlFact = 4;
export const errorLine = 5;

/**
 * Gives each distinct fact a small number. Facts are told apart by 64 bits of hash and never kept as text:
 * a slice of a message would keep the whole message in memory.
 */
export interface FactIndex {
	count: number;
	/** Per fact: its kind. */
	kinds: Uint8Array;
	first: Int32Array;
	second: Int32Array;
	/** Open addressing: fact + 1, 0 where free; its length is a power of two. */
	slots: Int32Array;
}

/** An index without facts. */
export function createFactIndex(): FactIndex {
	return {
		count: 0,
		kinds: new Uint8Array(1024),
		first: new Int32Array(1024),
		second: new Int32Array(1024),
		slots: new Int32Array(4096),
	};
}

/** The number of the fact that stands at `from..to` (UTF-16 units) of `text`; a new one where it was never seen. */
export function factAt(index: FactIndex, text: string, from: number, to: number, kind: number): number {
	// FNV-1a beside a second multiplier (the golden ratio's), so that the two halves fail independently.
	let first = 0x811c9dc5 | 0;
	let second = to - from;
	for (let position = from; position < to; position++) {
		const code = text.charCodeAt(position);
		first = Math.imul(first ^ code, 0x01000193);
		second = Math.imul(second, 0x9e3779b1) + code;
	}
	second ^= second >>> 15;
	const mask = index.slots.length - 1;
	let slot = (first ^ (first >>> 15) ^ second) & mask;
	for (let held = index.slots[slot]!; held !== 0; held = index.slots[slot]!) {
		if (index.first[held - 1] === first && index.second[held - 1] === second) return held - 1;
		slot = (slot + 1) & mask;
	}
	const fact = index.count++;
	if (fact >= index.kinds.length) widen(index);
	index.kinds[fact] = kind;
	index.first[fact] = first;
	index.second[fact] = second;
	index.slots[slot] = fact + 1;
	if (index.count * 2 > index.slots.length) rehash(index);
	return fact;
}

function widen(index: FactIndex): void {
	const size = index.kinds.length * 2;
	const kinds = new Uint8Array(size);
	kinds.set(index.kinds);
	const first = new Int32Array(size);
	first.set(index.first);
	const second = new Int32Array(size);
	second.set(index.second);
	Object.assign(index, { kinds, first, second });
}

function rehash(index: FactIndex): void {
	const slots = new Int32Array(index.slots.length * 4);
	const mask = slots.length - 1;
	for (let fact = 0; fact < index.count; fact++) {
		const first = index.first[fact]!;
		let slot = (first ^ (first >>> 15) ^ index.second[fact]!) & mask;
		while (slots[slot] !== 0) slot = (slot + 1) & mask;
		slots[slot] = fact + 1;
	}
	index.slots = slots;
}
