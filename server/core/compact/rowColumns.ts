/**
 * Properties of every row that the stages need, in columns, cached between compactions of a session. Stages walk a
 * history of a hundred thousand messages a dozen times; looking each row up in memory would take most of the time.
 */

import { maxBatchReach } from '../history/batch.ts';
import { isFromUser } from '../history/protection.ts';
import type { Seq } from '../history/record.ts';
import type { Row, Unit } from '../history/row.ts';
import { rowTokens } from '../meter/totals.ts';
import { assignNumber } from './columns.ts';

/** Shorter texts are not worth a placeholder. UTF-16 units. */
export const minReplacedLength = 200;

/** Properties of a row or an item, as bits. */
export const rowKind = {
	/** A tool result. */
	result: 1,
	/** Written by the user, whether or not its middle was cut later. */
	fromUser: 2,
	/** Shows one row, whole or shortened; not a summary or marker of several. */
	inPlace: 4,
	/** No stage may touch it. */
	protected: 8,
	/** Created by the daemon. */
	made: 16,
	/** Reads or edits files, or shows lines of them. */
	files: 32,
	/** Belongs to a batch with a result of a tool that the user protects. */
	guarded: 64,
	/** The client counted its tokens. */
	exact: 128,
	/** A result that reports a failed call. */
	failed: 256,
	/** Has the role `user`, even if a client wrote the text. */
	user: 512,
} as const;

/** Columns of the rows as they were appended. About fifty bytes a row. */
export interface RowColumns {
	/** The unit that shows each row as it was appended. A row never changes; one that is recounted gets a new unit. */
	units: Unit[];
	kinds: Uint16Array;
	/** First row of its tool batch. */
	batches: Int32Array;
	/** Raw tokens of the whole row. */
	tokens: Float64Array;
	/** Numbers from `numbers`: the row's tool, and the digest of its text if that is long enough to compare. */
	tools: Int32Array;
	digests: Int32Array;
	numbers: { tools: Map<string, number>; digests: Map<string, number> };
	/** Whether the text attaches files: one of `attachmentState`. */
	attaches: Uint8Array;
	notes: NoteCounts;
}

/**
 * Tokens of the placeholders that may replace a duplicate row, as a text and as a message. Index 2n is for a row n
 * that a later read covers, 2n + 1 for one that a later result repeats. Stored plus one; 0 means not counted yet.
 */
export interface NoteCounts {
	/** The function that counted the tokens. */
	by?: (text: string) => number;
	texts: Int32Array;
	messages: Int32Array;
}

/** Whether a message attaches files; `unknown` until it is searched. */
export const attachmentState = { unknown: 0, nothing: 1, something: 2 } as const;

/** The number of a missing tool or digest. */
export const noNumber = -1;

/** Returns columns without rows. */
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

/** Returns the kinds of a row by itself: not whether it is in place or protected. */
export function kindsOfRow(row: Row): number {
	return (
		(row.role === 'tool' ? rowKind.result : 0) |
		(isFromUser(row) ? rowKind.fromUser : 0) |
		(row.role === 'user' ? rowKind.user : 0) |
		(row.made ? rowKind.made : 0) |
		(row.touches || row.shows ? rowKind.files : 0) |
		(row.exact ? rowKind.exact : 0) |
		(row.role === 'tool' && row.isError ? rowKind.failed : 0)
	);
}

/** Returns the number of a row's tool, or `none`. */
export function toolOf({ numbers }: RowColumns, { tool }: Row): number {
	return tool === undefined ? noNumber : assignNumber(numbers.tools, tool);
}

/** Returns a predicate over tool numbers from one over tool names; a missing tool counts as the empty name. */
export function toolPredicate(
	{ numbers }: RowColumns,
	holds: (tool: string) => boolean,
): (tool: number) => boolean {
	const held = new Uint8Array(numbers.tools.size);
	for (const [name, tool] of numbers.tools) held[tool] = holds(name) ? 1 : 0;
	const ofNone = holds('');
	return (tool) => (tool === noNumber ? ofNone : held[tool] === 1);
}

/** Returns the number of a row's digest; `none` if its text is too short. */
export function digestOf({ numbers }: RowColumns, { chars, digest }: Row): number {
	return chars < minReplacedLength ? noNumber : assignNumber(numbers.digests, digest);
}

/** Copies a column into a wider one, and returns that. */
function copyToWider<T extends Uint8Array | Uint16Array | Int32Array | Float64Array>(column: T, wider: T): T {
	wider.set(column);
	return wider;
}

function growColumns(columns: RowColumns, length: number): void {
	const size = Math.max(1024, length, Math.ceil(1.5 * columns.kinds.length));
	columns.kinds = copyToWider(columns.kinds, new Uint16Array(size));
	columns.batches = copyToWider(columns.batches, new Int32Array(size));
	columns.tokens = copyToWider(columns.tokens, new Float64Array(size));
	columns.tools = copyToWider(columns.tools, new Int32Array(size));
	columns.digests = copyToWider(columns.digests, new Int32Array(size));
	columns.attaches = copyToWider(columns.attaches, new Uint8Array(size));
}

/** Returns the number of added rows that no later row changes: a result may still join the newest to its batch. */
export function settledRows({ units }: RowColumns): number {
	return Math.max(0, units.length - maxBatchReach);
}

/** Adds the units [from, to) of unchanged rows, or updates those that are not settled. */
export function addRows(columns: RowColumns, units: readonly Unit[], from: number, to: number): void {
	if (columns.kinds.length < to) growColumns(columns, to);
	const settled = settledRows(columns);
	for (let seq = from; seq < to; seq++) {
		const unit = units[seq];
		if (!unit || (columns.units[seq] === unit && seq < settled)) continue;
		const { row } = unit;
		// Of a row that is not settled, only the batch may have changed.
		if (columns.units[seq] !== unit) columns.attaches[seq] = attachmentState.unknown;
		columns.units[seq] = unit;
		columns.kinds[seq] = kindsOfRow(row) | rowKind.inPlace;
		columns.batches[seq] = row.batch;
		columns.tokens[seq] = rowTokens(row);
		columns.tools[seq] = toolOf(columns, row);
		columns.digests[seq] = digestOf(columns, row);
	}
}

/** Returns the index of the last `user` row up to index `last`, or -1. Expects unchanged rows in order. */
export function lastUserIndex({ kinds }: RowColumns, rows: readonly Row[], last: number): number {
	for (let index = last; index >= 0; ) {
		const seq = rows[index]?.seq ?? 0;
		let user = seq;
		while (user >= 0 && ((kinds[user] ?? 0) & rowKind.user) === 0) user--;
		if (user < 0) return -1;
		// If no row is missing between the two, this is its index.
		const next = indexUpTo(rows, user, Math.max(-1, index - (seq - user)), index);
		if (rows[next]?.seq === user) return next;
		index = next;
	}
	return -1;
}

/** Returns the index, from `low` to `high`, of the last row at or before an ordinal; `low` if there is none. */
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
