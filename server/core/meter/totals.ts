/**
 * Running sums over the visible history, by category and by position relative to the last reported usage; and its largest
 * messages.
 */

import type { Role } from '../../protocol/conversation.ts';
import type { Tally } from '../../protocol/stats.ts';
import type { Counts } from '../measure/measure.ts';

/** A message as the meter sees it. */
export interface MeteredRow {
	/** Ordinal of the message in the history. */
	seq: number;
	role: Role;
	counts: Counts;
	/** Set if the client counted the message itself. */
	exact?: true;
	/** Set if the daemon created the message, so that no reported usage covers it. */
	made?: string;
	/** File lines that the message shows. */
	shows?: readonly unknown[];
}

export type Category = keyof Tally;

export const categories: readonly Category[] = [
	'user',
	'assistant',
	'toolCalls',
	'toolResults',
	'summaries',
	'images',
	'system',
];

/** Raw counts of some messages. */
export interface RawTally extends Tally {
	/** Tokens of results that show files; `toolResults` includes them. */
	fileReads: number;
}

const rawTallyNames: readonly (keyof RawTally)[] = [...categories, 'fileReads'];

/**
 * Raw counts of the visible history: before the message with the last usage (`head`), the message itself (`anchor`), and
 * after it (`tail`). Exact counts of clients are separate, because they are never scaled.
 */
export interface Totals {
	head: RawTally;
	anchor: RawTally;
	tail: RawTally;
	exact: RawTally;
	/** Number of visible messages. */
	messages: number;
}

export function createEmptyTally(): Tally {
	return { user: 0, assistant: 0, toolCalls: 0, toolResults: 0, summaries: 0, images: 0, system: 0 };
}

function createEmptyRawTally(): RawTally {
	return { ...createEmptyTally(), fileReads: 0 };
}

export function createEmptyTotals(): Totals {
	return {
		head: createEmptyRawTally(),
		anchor: createEmptyRawTally(),
		tail: createEmptyRawTally(),
		exact: createEmptyRawTally(),
		messages: 0,
	};
}

export function sumTally(tally: Tally): number {
	return (
		tally.user +
		tally.assistant +
		tally.toolCalls +
		tally.toolResults +
		tally.summaries +
		tally.images +
		tally.system
	);
}

function findTextCategory(row: MeteredRow): Category {
	if (row.made === 'summary' || row.made === 'marker') return 'summaries';
	if (row.role === 'tool') return 'toolResults';
	return row.role;
}

export function addRowCounts(tally: RawTally, row: MeteredRow): void {
	tally[findTextCategory(row)] += row.counts.text;
	if (row.shows) tally.fileReads += row.counts.text;
	tally.toolCalls += row.counts.calls;
	tally.images += row.counts.images;
}

/** Returns the raw tokens of one row. */
export function countRowTokens(row: MeteredRow): number {
	return row.counts.text + row.counts.calls + row.counts.images;
}

/** Adds a visible row to the totals; `anchor` is the seq of the anchor, -1 if there is none. */
export function addVisibleRow(totals: Totals, row: MeteredRow, anchor: number): void {
	totals.messages++;
	if (row.exact) addRowCounts(totals.exact, row);
	else if (anchor < 0 || row.seq > anchor) addRowCounts(totals.tail, row);
	else if (row.seq === anchor && !row.made) addRowCounts(totals.anchor, row);
	else addRowCounts(totals.head, row);
}

/** Totals of a view whose anchor is one of its rows. */
export interface AnchoredTotals {
	all: Totals;
	/** Sums up to and including the anchor. */
	throughAnchor: Totals;
	/** Raw tokens before the anchor, without exact counts of clients. */
	tokensBefore: number;
}

/** Moves the anchor of a view's totals to the row at `index`, and returns the new totals. O(rows after `index`). */
export function anchorTotalsAt(
	totals: Totals,
	view: readonly { row: MeteredRow }[],
	index: number,
): AnchoredTotals {
	const anchorRow = view[index]?.row;
	const [anchor, after, exactAfter] = [createEmptyRawTally(), createEmptyRawTally(), createEmptyRawTally()];
	if (anchorRow && !anchorRow.exact && !anchorRow.made) addRowCounts(anchor, anchorRow);
	for (let position = index + 1; position < view.length; position++) {
		const row = view[position]?.row;
		if (row) addRowCounts(row.exact ? exactAfter : after, row);
	}
	const [head, exact] = [createEmptyRawTally(), createEmptyRawTally()];
	for (const name of rawTallyNames) {
		const countedTokens = totals.head[name] + totals.anchor[name] + totals.tail[name];
		head[name] = countedTokens - anchor[name] - after[name];
		exact[name] = totals.exact[name] - exactAfter[name];
	}
	return {
		all: { ...totals, head, anchor, tail: after },
		throughAnchor: { ...totals, head, anchor, tail: createEmptyRawTally(), exact, messages: index + 1 },
		tokensBefore: sumTally(head),
	};
}

/** Adds all sums to the head. Called before the message that becomes the new anchor is appended. */
export function mergeIntoHead(totals: Totals): void {
	for (const name of rawTallyNames) {
		totals.head[name] += totals.anchor[name] + totals.tail[name];
		totals.anchor[name] = 0;
		totals.tail[name] = 0;
	}
}

/** Maximum number of messages in `stats.largest`. */
const maxLargestUnits = 10;

/** Inserts a unit into the list, largest first, if it is among the largest. */
export function insertIfLargest<U extends { row: MeteredRow }>(largest: U[], unit: U): void {
	const tokens = countRowTokens(unit.row);
	const last = largest[maxLargestUnits - 1];
	if (last && countRowTokens(last.row) >= tokens) return;
	const index = largest.findIndex((one) => countRowTokens(one.row) < tokens);
	largest.splice(index < 0 ? largest.length : index, 0, unit);
	if (largest.length > maxLargestUnits) largest.pop();
}

/** Returns the largest units of a whole view, largest first. O(visible). */
export function findLargestUnits<U extends { row: MeteredRow }>(view: readonly U[]): U[] {
	const largest: U[] = [];
	for (const unit of view) insertIfLargest(largest, unit);
	return largest;
}
