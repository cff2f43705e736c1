/**
 * What the stages ask of every row, in columns by its ordinal, kept from one compaction of a session to the next: a
 * history of a hundred thousand messages is walked over a dozen times, and to look each of them up in memory anew
 * would take most of the time.
 */

import { longestReach } from '../history/batch.ts';
import { isFromUser } from '../history/protection.ts';
import type { Seq } from '../history/record.ts';
import type { Row, Unit } from '../history/row.ts';
import { rowTokens } from '../meter/totals.ts';
import { numberOf } from './columns.ts';

/** Shorter texts are not worth the words that would replace them. UTF-16 units. */
export const minReplacedLength = 200;

/** What a row or an item is, as bits. */
export const kind = {
	/** A tool's result. */
	result: 1,
	/** Said by the user, whether or not its middle was cut since. */
	said: 2,
	/** A row of its own, as it is or shortened, not a summary or marker for others. */
	inPlace: 4,
	/** No stage may touch it. */
	protected: 8,
	/** The daemon made it. */
	made: 16,
	/** Touches files, or shows lines of them. */
	files: 32,
	/** Of a batch with a result of a tool that the user protects. */
	guarded: 64,
	/** The client counted it itself. */
	exact: 128,
	/** A result that says that its call failed. */
	failed: 256,
	/** Of the role of users, whoever wrote it. */
	user: 512,
} as const;

/** Columns of the rows as they were appended. Some fifty bytes a row. */
export interface RowColumns {
	/** By row, what shows it as it was appended: rows are never changed, and one that is counted anew has another unit. */
	units: Unit[];
	kinds: Uint16Array;
	/** First row of its tool batch. */
	batches: Int32Array;
	/** Raw tokens of all that it says. */
	tokens: Float64Array;
	/** By `numbers`: its tool; and what it says word for word, where that is long enough to be told apart. */
	tools: Int32Array;
	digests: Int32Array;
	numbers: { tools: Map<string, number>; digests: Map<string, number> };
	/** Whether its text was found to attach files: one of `attaching`. */
	attaches: Uint8Array;
	notes: NoteCounts;
}

/**
 * Tokens of the notes that may stand in a row's place, at twice its ordinal where a later read stands for it, one
 * further where a later result repeats it: as a text, and as a message. One more than counted; 0: not counted yet.
 */
export interface NoteCounts {
	/** What counted them. */
	by?: (text: string) => number;
	texts: Int32Array;
	messages: Int32Array;
}

/** Whether a message attaches files, as far as that was looked for. */
export const attaching = { unknown: 0, nothing: 1, something: 2 } as const;

/** Of a row that has none. */
export const none = -1;

/** Columns of no rows. */
export function createRowColumns(): RowColumns {
	return {
		units: [],
		kinds: new Uint16Array(0),
		batches: new Int32Array(0),
		tokens: new Float64Array(0),
		tools: new Int32Array(0),
		digests: new Int32Array(0),
		attaches: new Uint8Array(0),
		numbers: { tools: new Map(), digests: new Map() },
		notes: { texts: new Int32Array(0), messages: new Int32Array(0) },
	};
}

/** Of a row, wherever it stands; not whether it is in its place, or protected. */
export function kindsOfRow(row: Row): number {
	return (
		(row.role === 'tool' ? kind.result : 0) |
		(isFromUser(row) ? kind.said : 0) |
		(row.role === 'user' ? kind.user : 0) |
		(row.made ? kind.made : 0) |
		(row.touches || row.shows ? kind.files : 0) |
		(row.exact ? kind.exact : 0) |
		(row.role === 'tool' && row.isError ? kind.failed : 0)
	);
}

/** The number of a row's tool; `none` of a row without. */
export function toolOf({ numbers }: RowColumns, { tool }: Row): number {
	return tool === undefined ? none : numberOf(numbers.tools, tool);
}

/** By the number of a tool, whether something holds for its name; of a row without, for the empty name. */
export function toolsWhere(
	{ numbers }: RowColumns,
	holds: (tool: string) => boolean,
): (tool: number) => boolean {
	const held = new Uint8Array(numbers.tools.size);
	for (const [name, tool] of numbers.tools) held[tool] = holds(name) ? 1 : 0;
	const ofNone = holds('');
	return (tool) => (tool === none ? ofNone : held[tool] === 1);
}

/** The number of what a row says; `none` where it is too short. */
export function digestOf({ numbers }: RowColumns, { chars, digest }: Row): number {
	return chars < minReplacedLength ? none : numberOf(numbers.digests, digest);
}

/** Returns the wider column, with what the other one holds. */
function widened<T extends Uint8Array | Uint16Array | Int32Array | Float64Array>(column: T, wider: T): T {
	wider.set(column);
	return wider;
}

function widen(columns: RowColumns, length: number): void {
	const size = Math.max(1024, length, Math.ceil(1.5 * columns.kinds.length));
	columns.kinds = widened(columns.kinds, new Uint16Array(size));
	columns.batches = widened(columns.batches, new Int32Array(size));
	columns.tokens = widened(columns.tokens, new Float64Array(size));
	columns.tools = widened(columns.tools, new Int32Array(size));
	columns.digests = widened(columns.digests, new Int32Array(size));
	columns.attaches = widened(columns.attaches, new Uint8Array(size));
}

/** How many rows were taken of which no later one changes anything: a result may draw the newest into its batch. */
export function settledRows({ units }: RowColumns): number {
	return Math.max(0, units.length - longestReach);
}

/**
 * Takes the units [from, to) of the rows as they were appended, or what of them was not yet. What is settled stays.
 */
export function takeRows(columns: RowColumns, units: readonly Unit[], from: number, to: number): void {
	if (columns.kinds.length < to) widen(columns, to);
	const settled = settledRows(columns);
	for (let seq = from; seq < to; seq++) {
		const unit = units[seq];
		if (!unit || (columns.units[seq] === unit && seq < settled)) continue;
		const { row } = unit;
		// Only the batch of a row that is not settled may have become another.
		if (columns.units[seq] !== unit) columns.attaches[seq] = attaching.unknown;
		columns.units[seq] = unit;
		columns.kinds[seq] = kindsOfRow(row) | kind.inPlace;
		columns.batches[seq] = row.batch;
		columns.tokens[seq] = rowTokens(row);
		columns.tools[seq] = toolOf(columns, row);
		columns.digests[seq] = digestOf(columns, row);
	}
}

/**
 * Index of the last user's row among the first ones up to `last`, all of them as they were appended, in order; -1 where
 * there is none.
 */
export function lastOfUser({ kinds }: RowColumns, rows: readonly Row[], last: number): number {
	for (let index = last; index >= 0; ) {
		const seq = rows[index]?.seq ?? 0;
		let user = seq;
		while (user >= 0 && ((kinds[user] ?? 0) & kind.user) === 0) user--;
		if (user < 0) return -1;
		// Where no row is left out between the two, that is its place.
		const next = indexUpTo(rows, user, Math.max(-1, index - (seq - user)), index);
		if (rows[next]?.seq === user) return next;
		index = next;
	}
	return -1;
}

/** Index of the last row up to an ordinal, from `low` to `high`: -1 where none is. */
function indexUpTo(rows: readonly Row[], seq: Seq, low: number, high: number): number {
	if (rows[low]?.seq === seq) return low;
	let from = low;
	let to = high;
	while (from < to) {
		const middle = (from + to + 1) >> 1;
		if ((rows[middle]?.seq ?? 0) <= seq) from = middle;
		else to = middle - 1;
	}
	return from;
}
