/** Running sums over the visible history, by category and by where the last usable usage figure stands. */

import type { Role } from '../../protocol/conversation.ts';
import type { Tally } from '../../protocol/stats.ts';
import type { Counts } from '../measure/measure.ts';

/** What the meter knows of a message. */
export interface MeteredRow {
	/** Its ordinal in the history. */
	seq: number;
	role: Role;
	counts: Counts;
	/** The client counted it itself. */
	exact?: true;
	/** The daemon made it: no provider's figure is of it. */
	made?: string;
	/** Files that it shows lines of. */
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

/**
 * Raw counts of what is visible: before the message that the last usable usage figure came with, that message
 * itself, after it; and apart from these, on no scale but their own, what clients counted exactly.
 */
export interface Totals {
	head: Tally;
	anchor: Tally;
	tail: Tally;
	exact: Tally;
	/** Visible messages. */
	messages: number;
	/** Raw tokens of visible file reads. */
	fileReads: number;
}

export function emptyTally(): Tally {
	return { user: 0, assistant: 0, toolCalls: 0, toolResults: 0, summaries: 0, images: 0, system: 0 };
}

export function emptyTotals(): Totals {
	return {
		head: emptyTally(),
		anchor: emptyTally(),
		tail: emptyTally(),
		exact: emptyTally(),
		messages: 0,
		fileReads: 0,
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

function textCategory(row: MeteredRow): Category {
	if (row.made === 'summary' || row.made === 'marker') return 'summaries';
	if (row.role === 'tool') return 'toolResults';
	return row.role;
}

/** Adds one row’s raw counts. */
export function addRow(tally: Tally, row: MeteredRow): void {
	tally[textCategory(row)] += row.counts.text;
	tally.toolCalls += row.counts.calls;
	tally.images += row.counts.images;
}

/** Raw tokens of one row. */
export function rowTokens(row: MeteredRow): number {
	return row.counts.text + row.counts.calls + row.counts.images;
}

/** Adds one visible row where it belongs, given where the anchor stands (-1: nowhere). */
export function addVisible(totals: Totals, row: MeteredRow, anchor: number): void {
	totals.messages++;
	if (row.shows) totals.fileReads += rowTokens(row);
	if (row.exact) addRow(totals.exact, row);
	else if (anchor < 0 || row.seq > anchor) addRow(totals.tail, row);
	else if (row.seq === anchor && !row.made) addRow(totals.anchor, row);
	else addRow(totals.head, row);
}

/** Sums over a view with the anchor at one of its rows. */
export interface AnchoredTotals {
	all: Totals;
	/** As if nothing stood behind the anchor. */
	through: Totals;
	/** Raw tokens before the anchor, those that clients counted aside. */
	before: number;
}

/**
 * The sums over a view when the row at `index` becomes the anchor, out of its sums with another one: only what stands
 * behind it is walked over.
 */
export function anchoredAt(
	totals: Totals,
	view: readonly { row: MeteredRow }[],
	index: number,
): AnchoredTotals {
	const own = view[index]?.row;
	const [anchor, after, exactAfter] = [emptyTally(), emptyTally(), emptyTally()];
	if (own && !own.exact && !own.made) addRow(anchor, own);
	for (let behind = index + 1; behind < view.length; behind++) {
		const row = view[behind]?.row;
		if (row) addRow(row.exact ? exactAfter : after, row);
	}
	const [head, exact] = [emptyTally(), emptyTally()];
	for (const category of categories) {
		const measured = totals.head[category] + totals.anchor[category] + totals.tail[category];
		head[category] = measured - anchor[category] - after[category];
		exact[category] = totals.exact[category] - exactAfter[category];
	}
	return {
		all: { ...totals, head, anchor, tail: after },
		through: { ...totals, head, anchor, tail: emptyTally(), exact, messages: index + 1 },
		before: sumTally(head),
	};
}

/** Everything before and at the anchor becomes the head, as a new anchor is set behind it. */
export function closeHead(totals: Totals): void {
	for (const category of categories) {
		totals.head[category] += totals.anchor[category] + totals.tail[category];
		totals.anchor[category] = 0;
		totals.tail[category] = 0;
	}
}
