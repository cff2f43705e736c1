/** Chooses pieces for a room: always the one that says most for what it costs, as long as it fits. */

import type { Slices } from '../../slices.ts';
import type { Coverage } from '../ledger/coverage.ts';
import { createHeap, type Heap, popItem, pushItem, replaceTop } from '../ledger/heap.ts';
import { tuning, workLimits } from '../tuning.ts';
import { isOfKind, type Part, type PartColumns, wordsStart } from './partColumns.ts';
import type { Pieces } from './pieces.ts';

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
	/** Per fact: the probability that it is needed again. */
	values: Float32Array;
	/** How well each stands already, 0 to 1; what is chosen is added. */
	covered: Coverage;
}

/** What is needed of a part's facts and does not stand yet, as a sum of probabilities. */
function missing({ facts, factsFrom, factsTo }: PartColumns, part: number, needed: Needed): number {
	const { values, covered } = needed;
	const { data } = facts;
	const to = factsTo.data[part] ?? 0;
	let sum = 0;
	for (let index = factsFrom.data[part] ?? 0; index < to; index++) {
		const fact = data[index] ?? 0;
		sum += (values[fact] ?? 0) * (1 - (covered[fact] ?? 0));
	}
	return sum;
}

/** Notes that the facts of a part stand among words. */
function stand({ facts, factsFrom, factsTo }: PartColumns, part: number, { covered }: Needed): void {
	const to = factsTo.data[part] ?? 0;
	for (let index = factsFrom.data[part] ?? 0; index < to; index++) {
		const fact = facts.data[index] ?? 0;
		if (fact < covered.length) covered[fact] = Math.max(covered[fact] ?? 0, tuning.selection.proseCoverage);
	}
}

/** Share of a part's words that are new. */
function freshness(columns: PartColumns, part: number, known: Uint8Array): number {
	const { data } = columns.words;
	const from = wordsStart(columns, part);
	const to = columns.wordsEnd.data[part] ?? 0;
	if (from === to) return tuning.selection.knownWordsShare;
	let fresh = 0;
	for (let index = from; index < to; index++) if (known[data[index] ?? 0] === 0) fresh++;
	return tuning.selection.knownWordsShare + ((1 - tuning.selection.knownWordsShare) * fresh) / (to - from);
}

/** The words of a part, by number. */
function wordsOf(columns: PartColumns, part: number): Int32Array {
	return columns.words.data.subarray(wordsStart(columns, part), columns.wordsEnd.data[part]);
}

function wished(columns: PartColumns, part: number, wish: ReadonlySet<number>): number {
	return wish.size === 0 ? 1 : 1 + wordsOf(columns, part).filter((word) => wish.has(word)).length;
}

/** What is left of a worth by age, for each message. */
function recencies(messages: number): Float64Array {
	const left = new Float64Array(messages);
	for (let message = 0; message < messages; message++) {
		left[message] =
			tuning.selection.minRecency +
			(1 - tuning.selection.minRecency) * 2 ** (-(messages - 1 - message) / tuning.selection.recencyHalfLife);
	}
	return left;
}

/** What each piece of a kind is worth at its age, where nothing is known yet. */
function worthsOf({ pieces, kind, messages, wish }: Choosing): Float64Array {
	const { columns, parts, powers } = pieces;
	const recency = recencies(messages);
	const worths = new Float64Array(parts.length);
	for (let index = 0; index < worths.length; index++) {
		const part = parts[index] ?? 0;
		if (!isOfKind(columns, part, kind)) continue;
		const atItsAge = (powers[index] ?? 0) * (recency[pieces.messages[index] ?? 0] ?? 0);
		worths[index] = atItsAge * wished(columns, part, wish);
	}
	return worths;
}

/** Whether a piece of the same message says it in nearly the same words. */
function isSaidThere(columns: PartColumns, part: number, there: readonly number[] = []): boolean {
	const words = wordsOf(columns, part);
	return there.some((other) => {
		const others = wordsOf(columns, other);
		const shared = words.filter((word) => others.includes(word)).length;
		return (
			shared >= tuning.nearDuplicate.words &&
			shared >= tuning.nearDuplicate.share * Math.min(words.length, others.length)
		);
	});
}

/** What is looked at of every piece, over and over. */
interface Scales {
	choosing: Choosing;
	worths: Float64Array;
	/** By message, the extent of what was taken of it; less than none where nothing was. */
	taken: Float64Array;
}

/** What a piece says that is new, for what it costs. */
function keyOf({ choosing, worths, taken }: Scales, index: number): number {
	const { pieces, known, needed } = choosing;
	const { columns } = pieces;
	const part = pieces.parts[index] ?? 0;
	const before = taken[pieces.messages[index] ?? 0] ?? -1;
	const length = columns.lengths.data[part] ?? 0;
	const cost = length + (before < 0 ? tuning.selection.labelLength : tuning.selection.gapLength);
	const depth = tuning.selection.depthHalfLength / (tuning.selection.depthHalfLength + Math.max(0, before));
	const said = (worths[index] ?? 0) * freshness(columns, part, known) * depth * length;
	return (needed ? said + tuning.selection.neededFactLength * missing(columns, part, needed) : said) / cost;
}

/** Enters the pieces [from, to) of the kind. */
function enter(heap: Heap, scales: Scales, from: number, to: number): void {
	const { kind, pieces } = scales.choosing;
	for (let index = from; index < to; index++) {
		const part = pieces.parts[index] ?? 0;
		if (!isOfKind(pieces.columns, part, kind)) continue;
		const length = pieces.columns.lengths.data[part] ?? 0;
		// Its label is paid for by the first piece of a message: what follows may be worth a little more than it was.
		pushItem(heap, index, keyOf(scales, index) * (1 + tuning.selection.labelLength / length));
	}
}

/** Enters the other pieces of a message, whose label is paid for now, anew. */
function enterAgain(heap: Heap, scales: Scales, chosen: number, looked: Uint8Array): void {
	const { messages, columns, parts } = scales.choosing.pieces;
	const message = messages[chosen];
	let from = chosen;
	while (from > 0 && messages[from - 1] === message) from--;
	for (let index = from; messages[index] === message; index++) {
		const isOpen = looked[index] === 0 && isOfKind(columns, parts[index] ?? 0, scales.choosing.kind);
		if (isOpen) pushItem(heap, index, keyOf(scales, index));
	}
}

/**
 * The chosen pieces in order, by their places, and the tokens that are left. Lazy greedy, O(n log n): worth falls with
 * what is known and with what was taken of the same message, so keys only fall, but where the label of a message is paid:
 * its other pieces are entered anew. What is said in the same words is chosen once, and within a message what is said in
 * nearly the same.
 */
export function* chooseSteps(choosing: Choosing): Slices<{ chosen: number[]; left: number }> {
	const { pieces, known, count, needed } = choosing;
	const { columns, parts } = pieces;
	const taken = new Float64Array(choosing.messages).fill(-1);
	const scales: Scales = { choosing, worths: worthsOf(choosing), taken };
	const heap = createHeap();
	for (let index = 0; index < parts.length; index += workLimits.candidatesPerSlice) {
		enter(heap, scales, index, Math.min(parts.length, index + workLimits.candidatesPerSlice));
		yield;
	}
	const chosen: number[] = [];
	const texts = new Set<string>();
	const chosenOf = new Map<number, readonly number[]>();
	const looked = new Uint8Array(parts.length);
	let left = choosing.room;
	for (let misses = 0, steps = 1; heap.items.length > 0 && misses < tuning.selection.maxMisses; steps++) {
		if (steps % workLimits.candidatesPerSlice === 0) yield;
		const index = heap.items[0] ?? 0;
		if (looked[index] === 1) {
			popItem(heap);
			continue;
		}
		const key = keyOf(scales, index);
		if (key < tuning.selection.minScore) {
			popItem(heap);
			continue;
		}
		if (key < (heap.keys[0] ?? 0) * workLimits.staleKeyTolerance) {
			replaceTop(heap, index, key);
			continue;
		}
		popItem(heap);
		looked[index] = 1;
		const part = parts[index] ?? 0;
		const text = columns.texts[part] ?? '';
		const message = pieces.messages[index] ?? 0;
		if (texts.has(text) || isSaidThere(columns, part, chosenOf.get(message))) continue;
		const before = taken[message] ?? -1;
		const cost = count(text) + (before < 0 ? tuning.selection.labelTokens : 1);
		if (cost > left) {
			misses++;
			continue;
		}
		misses = 0;
		left -= cost;
		taken[message] = Math.max(0, before) + (columns.lengths.data[part] ?? 0);
		for (const word of wordsOf(columns, part)) known[word] = 1;
		if (needed) stand(columns, part, needed);
		texts.add(text);
		chosenOf.set(message, [...(chosenOf.get(message) ?? []), part]);
		chosen.push(index);
		if (before < 0) enterAgain(heap, scales, index, looked);
	}
	return { chosen: chosen.sort((a, b) => a - b), left };
}
