/**
 * What messages said, part by part, in columns: a summary weighs tens of thousands of parts against one another, and to
 * look each of them up in memory anew would take most of the time.
 */

import { type Column, column, numberOf, push } from '../columns.ts';
import { tuning } from '../tuning.ts';
import { extentOf } from './extent.ts';

/** What a message said, wherever it stands. */
export interface Part {
	/** Told: what somebody said or did, and what a service answered in data. Shown: a line of another result. */
	kind: 'told' | 'shown';
	text: string;
	/** Stands on a line of its own. */
	ownLine: boolean;
	/** What it is worth beside a plain sentence of the agent, by its length. */
	worth: number;
	/** As `wordsIn` gives them. */
	words: readonly number[];
}

/** Parts, each by its number. */
export interface PartColumns {
	texts: string[];
	worths: number[];
	/** To the power that the choice goes by. */
	powers: number[];
	/** 1: shown, else told; and 2: stands on a line of its own. */
	kinds: Column;
	/** Latin letters, or signs that say as much. */
	lengths: Column;
	/** Where the numbers of its words end; they begin where those of the part before it end. */
	wordsEnd: Column;
	words: Column;
	/** Where its facts begin and end, by their numbers in the ledger; both none until they were looked for. */
	factsFrom: Column;
	factsTo: Column;
	facts: Column;
	/** Numbers of words, by what `wordsIn` gives for them. */
	numbers: Map<number, number>;
}

const shownKind = 1;
const ownLineKind = 2;
const notLookedFor = -1;

/** Columns of no parts. */
export function createPartColumns(): PartColumns {
	return {
		texts: [],
		worths: [],
		powers: [],
		kinds: column(),
		lengths: column(),
		wordsEnd: column(),
		words: column(),
		factsFrom: column(),
		factsTo: column(),
		facts: column(),
		numbers: new Map(),
	};
}

/** Adds a part; gives its number. */
export function pushPart(columns: PartColumns, { kind, text, ownLine, worth, words }: Part): number {
	columns.texts.push(text);
	columns.worths.push(worth);
	columns.powers.push(worth ** tuning.selection.scorePower);
	push(columns.kinds, (kind === 'shown' ? shownKind : 0) | (ownLine ? ownLineKind : 0));
	push(columns.lengths, extentOf(text));
	for (const word of words) push(columns.words, numberOf(columns.numbers, word));
	push(columns.wordsEnd, columns.words.length);
	push(columns.factsFrom, notLookedFor);
	push(columns.factsTo, notLookedFor);
	return columns.texts.length - 1;
}

/** Whether a part is of a kind. */
export function isOfKind({ kinds }: PartColumns, part: number, kind: Part['kind']): boolean {
	return ((kinds.data[part] ?? 0) & shownKind) === (kind === 'shown' ? shownKind : 0);
}

/** Whether a part stands on a line of its own. */
export function standsAlone({ kinds }: PartColumns, part: number): boolean {
	return ((kinds.data[part] ?? 0) & ownLineKind) !== 0;
}

/** Where the words of a part begin in `words`. */
export function wordsStart({ wordsEnd }: PartColumns, part: number): number {
	return part === 0 ? 0 : (wordsEnd.data[part - 1] ?? 0);
}

/** Looks for the facts of a part, where that was not done. */
export function findFacts(
	columns: PartColumns,
	part: number,
	factsIn: (text: string) => readonly number[],
): void {
	if (columns.factsFrom.data[part] !== notLookedFor) return;
	const facts = factsIn(columns.texts[part] ?? '');
	columns.factsFrom.data[part] = columns.facts.length;
	for (const fact of facts) push(columns.facts, fact);
	columns.factsTo.data[part] = columns.facts.length;
}
