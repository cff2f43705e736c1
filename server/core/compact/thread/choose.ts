/** Chooses pieces for a room: always the one that says most for what it costs, as long as it fits. */

import { createHeap, popItem, pushItem, replaceTop } from '../ledger/heap.ts';
import type { Steps } from '../ledger/steps.ts';
import type { Piece } from './pieces.ts';
import {
	atOnce,
	gapCost,
	halfDepth,
	halfLife,
	knownShare,
	labelCost,
	labelTokens,
	leastWorth,
	mostMisses,
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
 * and with what was taken of the same message, so keys only fall.
 */
export function* chooseSteps(choosing: Choosing): Steps<{ chosen: Piece[]; left: number }> {
	const { pieces, known, messages, count } = choosing;
	const taken = new Map<number, number>();
	const worths = pieces.map((piece) => {
		const age = messages - 1 - piece.message;
		const recency = oldest + (1 - oldest) * 2 ** (-age / halfLife);
		return piece.worth ** worthPower * recency * wished(piece, choosing.wish);
	});
	const keyOf = (index: number, piece: Piece): number => {
		const before = taken.get(piece.message);
		const length = piece.text.length;
		const cost = length + (before === undefined ? labelCost : gapCost);
		const depth = halfDepth / (halfDepth + (before ?? 0));
		return ((worths[index] ?? 0) * freshness(piece, known) * depth * length) / cost;
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
		const cost = count(piece.text) + (taken.has(piece.message) ? 1 : labelTokens);
		if (cost > left) {
			misses++;
			continue;
		}
		misses = 0;
		left -= cost;
		taken.set(piece.message, (taken.get(piece.message) ?? 0) + piece.text.length);
		for (const word of piece.words) known.add(word);
		chosen.push(index);
	}
	return { chosen: chosen.sort((a, b) => a - b).flatMap((index) => pieces[index] ?? []), left };
}
