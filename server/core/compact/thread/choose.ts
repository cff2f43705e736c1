/** Chooses pieces for a room: always the one that says most for what it costs, as long as it fits. */

import type { Coverage } from '../ledger/coverage.ts';
import { createHeap, popItem, pushItem, replaceTop } from '../ledger/heap.ts';
import type { Steps } from '../ledger/steps.ts';
import type { Part, Pieces } from './pieces.ts';
import {
	amongWords,
	atOnce,
	gapCost,
	halfDepth,
	halfLife,
	knownShare,
	labelCost,
	labelTokens,
	leastWorth,
	mostMisses,
	nearly,
	neededFact,
	oldest,
	worthPower,
} from './tuning.ts';

export interface Choosing {
	pieces: Pieces;
	/** Which of them. */
	kind: Part['kind'];
	/** By its number, 1 for a word that the reader has already; those of what is chosen are added. */
	known: Uint8Array;
	/** Words that the user asked to keep. */
	wish: ReadonlySet<number>;
	/** How many messages there are: age counts from the last. */
	messages: number;
	/** Tokens. */
	room: number;
	/** Tokens of a text. */
	count: (text: string) => number;
	/** What an agent that goes on will write again; where absent, a piece is worth what it says alone. */
	needed?: Needed;
}

/** Facts, by what they are worth to have once. */
export interface Needed {
	/** Of a part. */
	factsOf: (part: Part) => readonly number[];
	/** Per fact: the probability that it is needed again. */
	values: Float32Array;
	/** How well each stands already, 0 to 1; what is chosen is added. */
	covered: Coverage;
}

/** What is needed of these facts and does not stand yet, as a sum of probabilities. */
function missing(facts: readonly number[], { values, covered }: Needed): number {
	let sum = 0;
	for (const fact of facts) sum += (values[fact] ?? 0) * (1 - (covered[fact] ?? 0));
	return sum;
}

/** Notes that these facts stand among words. */
function stand(facts: readonly number[], { covered }: Needed): void {
	for (const fact of facts)
		if (fact < covered.length) covered[fact] = Math.max(covered[fact] ?? 0, amongWords);
}

/** Share of a part's words that are new. */
function freshness({ words }: Part, known: Uint8Array): number {
	if (words.length === 0) return knownShare;
	let fresh = 0;
	for (let index = 0; index < words.length; index++) if (known[words[index] ?? 0] === 0) fresh++;
	return knownShare + ((1 - knownShare) * fresh) / words.length;
}

function wished({ words }: Part, wish: ReadonlySet<number>): number {
	return wish.size === 0 ? 1 : 1 + words.filter((word) => wish.has(word)).length;
}

/** What each piece of a kind is worth at its age, where nothing is known yet. */
function worthsOf({ pieces, kind, messages, wish }: Choosing): Float64Array {
	const worths = new Float64Array(pieces.parts.length);
	for (let index = 0; index < worths.length; index++) {
		const part = pieces.parts[index] as Part;
		if (part.kind !== kind) continue;
		const age = messages - 1 - (pieces.messages[index] ?? 0);
		const recency = oldest + (1 - oldest) * 2 ** (-age / halfLife);
		worths[index] = (pieces.worths[index] ?? 0) ** worthPower * recency * wished(part, wish);
	}
	return worths;
}

/** Whether a piece of the same message says it in nearly the same words. */
function isSaidThere({ words }: Part, there: readonly Part[] = []): boolean {
	return there.some((other) => {
		const shared = words.filter((word) => other.words.includes(word)).length;
		return shared >= nearly.words && shared >= nearly.share * Math.min(words.length, other.words.length);
	});
}

/**
 * The chosen pieces in order, by their places, and the tokens that are left. Lazy greedy, O(n log n): worth falls with
 * what is known and with what was taken of the same message, so keys only fall. What is said in the same words is
 * chosen once, and within a message what is said in nearly the same.
 */
export function* chooseSteps(choosing: Choosing): Steps<{ chosen: number[]; left: number }> {
	const { pieces, known, count, needed } = choosing;
	const { parts } = pieces;
	/** By message, the UTF-16 units that were taken of it; less than none where nothing was. */
	const taken = new Float64Array(choosing.messages).fill(-1);
	const worths = worthsOf(choosing);
	const keyOf = (index: number, part: Part): number => {
		const before = taken[pieces.messages[index] ?? 0] ?? -1;
		const { length } = part.text;
		const cost = length + (before < 0 ? labelCost : gapCost);
		const depth = halfDepth / (halfDepth + Math.max(0, before));
		const said = (worths[index] ?? 0) * freshness(part, known) * depth * length;
		return (needed ? said + neededFact * missing(needed.factsOf(part), needed) : said) / cost;
	};
	const heap = createHeap();
	for (let index = 0; index < parts.length; index++) {
		const part = parts[index] as Part;
		// Its label is paid for by the first piece of a message: what follows may be worth a little more than it was.
		if (part.kind === choosing.kind)
			pushItem(heap, index, keyOf(index, part) * (1 + labelCost / part.text.length));
		if (index % atOnce === atOnce - 1) yield;
	}
	const chosen: number[] = [];
	const texts = new Set<string>();
	const chosenOf = new Map<number, readonly Part[]>();
	let left = choosing.room;
	for (let misses = 0, steps = 1; heap.items.length > 0 && misses < mostMisses; steps++) {
		if (steps % atOnce === 0) yield;
		const index = heap.items[0] ?? 0;
		const part = parts[index];
		const key = part ? keyOf(index, part) : 0;
		if (!part || key < leastWorth) {
			popItem(heap);
			continue;
		}
		if (key < (heap.keys[0] ?? 0) * 0.999) {
			replaceTop(heap, index, key);
			continue;
		}
		popItem(heap);
		const message = pieces.messages[index] ?? 0;
		if (texts.has(part.text) || isSaidThere(part, chosenOf.get(message))) continue;
		const before = taken[message] ?? -1;
		const cost = count(part.text) + (before < 0 ? labelTokens : 1);
		if (cost > left) {
			misses++;
			continue;
		}
		misses = 0;
		left -= cost;
		taken[message] = Math.max(0, before) + part.text.length;
		for (const word of part.words) known[word] = 1;
		if (needed) stand(needed.factsOf(part), needed);
		texts.add(part.text);
		chosenOf.set(message, [...(chosenOf.get(message) ?? []), part]);
		chosen.push(index);
	}
	return { chosen: chosen.sort((a, b) => a - b), left };
}
