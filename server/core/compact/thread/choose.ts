/** Chooses pieces for a room: always the one that says most for what it costs, as long as it fits. */

import type { Coverage } from '../ledger/coverage.ts';
import { createHeap, popItem, pushItem, replaceTop } from '../ledger/heap.ts';
import type { Steps } from '../ledger/steps.ts';
import type { Piece } from './pieces.ts';
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
	neededFact,
	oldest,
	worthPower,
} from './tuning.ts';

export interface Choosing {
	pieces: readonly Piece[];
	/** Which of them. */
	kind: Piece['kind'];
	/** Words that the reader has already; those of what is chosen are added. */
	known: Set<number>;
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
	/** Of a piece. */
	factsOf: (piece: Piece) => readonly number[];
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

/** Share of a piece's words that are new. */
function freshness(piece: Piece, known: ReadonlySet<number>): number {
	if (piece.words.length === 0) return knownShare;
	let fresh = 0;
	for (const word of piece.words) if (!known.has(word)) fresh++;
	return knownShare + ((1 - knownShare) * fresh) / piece.words.length;
}

function wished(piece: Piece, wish: ReadonlySet<number>): number {
	return wish.size === 0 ? 1 : 1 + piece.words.filter((word) => wish.has(word)).length;
}

/**
 * The chosen pieces in order, and the tokens that are left. Lazy greedy, O(n log n): worth falls with what is known
 * and with what was taken of the same message, so keys only fall. What is said in the same words is chosen once.
 */
export function* chooseSteps(choosing: Choosing): Steps<{ chosen: Piece[]; left: number }> {
	const { pieces, known, messages, count, needed } = choosing;
	const taken = new Map<number, number>();
	const facts: (readonly number[] | undefined)[] = [];
	const worths = pieces.map((piece) => {
		const age = messages - 1 - piece.message;
		const recency = oldest + (1 - oldest) * 2 ** (-age / halfLife);
		return piece.worth ** worthPower * recency * wished(piece, choosing.wish);
	});
	const factsAt = (index: number, piece: Piece): readonly number[] => {
		facts[index] ??= needed?.factsOf(piece);
		return facts[index] ?? [];
	};
	const keyOf = (index: number, piece: Piece): number => {
		const before = taken.get(piece.message);
		const length = piece.text.length;
		const cost = length + (before === undefined ? labelCost : gapCost);
		const depth = halfDepth / (halfDepth + (before ?? 0));
		const said = (worths[index] ?? 0) * freshness(piece, known) * depth * length;
		return (needed ? said + neededFact * missing(factsAt(index, piece), needed) : said) / cost;
	};
	const heap = createHeap();
	for (let index = 0; index < pieces.length; index++) {
		const piece = pieces[index];
		if (!piece) continue;
		// Its label is paid for by the first piece of a message: what follows may be worth a little more than it was.
		if (piece.kind === choosing.kind)
			pushItem(heap, index, keyOf(index, piece) * (1 + labelCost / piece.text.length));
		if (index % atOnce === atOnce - 1) yield;
	}
	const chosen: number[] = [];
	const texts = new Set<string>();
	let left = choosing.room;
	for (let misses = 0, steps = 1; heap.items.length > 0 && misses < mostMisses; steps++) {
		if (steps % atOnce === 0) yield;
		const index = heap.items[0] ?? 0;
		const piece = pieces[index];
		const key = piece ? keyOf(index, piece) : 0;
		if (!piece || key < leastWorth) {
			popItem(heap);
			continue;
		}
		if (key < (heap.keys[0] ?? 0) * 0.999) {
			replaceTop(heap, index, key);
			continue;
		}
		popItem(heap);
		if (texts.has(piece.text)) continue;
		const cost = count(piece.text) + (taken.has(piece.message) ? 1 : labelTokens);
		if (cost > left) {
			misses++;
			continue;
		}
		misses = 0;
		left -= cost;
		taken.set(piece.message, (taken.get(piece.message) ?? 0) + piece.text.length);
		for (const word of piece.words) known.add(word);
		if (needed) stand(factsAt(index, piece), needed);
		texts.add(piece.text);
		chosen.push(index);
	}
	return { chosen: chosen.sort((a, b) => a - b).flatMap((index) => pieces[index] ?? []), left };
}
