/**
 * What rows do to files, in columns: whether a later read stands for an earlier one is asked of tens of thousands, and
 * by numbers it is told without looking at a row.
 */

import type { RowTouch, Seq } from '../history/record.ts';
import type { Row } from '../history/row.ts';
import { numberOf } from './columns.ts';

/** The newest reads and edits of a file with which an earlier one is compared. */
const maxTouchesPerFile = 256;

/** Columns of touches, those of a row behind one another: first its edits, then what its result shows. */
export interface TouchColumns {
	/** By row: where its edits begin, where what it shows begins, and where that ends. */
	rows: Int32Array;
	/** By touch: the number of its path, and its kind as bits. */
	paths: Int32Array;
	kinds: Uint8Array;
	/** By touch, thrice: its first line, its last one, and how many of the last. */
	lines: Float64Array;
	length: number;
	numbers: Map<string, number>;
}

const touchKind = {
	edit: 1,
	/** Of the whole file, or of lines that nobody knows. */
	whole: 2,
	/** Known from the end of the file alone. */
	fromEnd: 4,
} as const;

/** Columns of no touches. */
export function createTouchColumns(): TouchColumns {
	return {
		rows: new Int32Array(0),
		paths: new Int32Array(0),
		kinds: new Uint8Array(0),
		lines: new Float64Array(0),
		length: 0,
		numbers: new Map(),
	};
}

/** The wider column, which holds what the other one held. */
export function widened<T extends Uint8Array | Uint16Array | Int32Array | Float64Array>(
	column: T,
	wider: T,
): T {
	wider.set(column);
	return wider;
}

function widen(columns: TouchColumns): void {
	const size = Math.max(256, Math.ceil(1.5 * columns.paths.length));
	columns.paths = widened(columns.paths, new Int32Array(size));
	columns.kinds = widened(columns.kinds, new Uint8Array(size));
	columns.lines = widened(columns.lines, new Float64Array(3 * size));
}

function pushTouch(columns: TouchColumns, { kind, path, from, to, lastLines }: RowTouch): void {
	const touch = columns.length++;
	if (touch >= columns.paths.length) widen(columns);
	const isWhole = from === undefined && to === undefined && lastLines === undefined;
	columns.paths[touch] = numberOf(columns.numbers, path);
	columns.kinds[touch] =
		(kind === 'edit' ? touchKind.edit : 0) |
		(isWhole ? touchKind.whole : 0) |
		(lastLines === undefined ? 0 : touchKind.fromEnd);
	columns.lines[3 * touch] = from ?? 1;
	columns.lines[3 * touch + 1] = to ?? Number.POSITIVE_INFINITY;
	columns.lines[3 * touch + 2] = lastLines ?? 0;
}

/** Whether a result shows lines of files and nothing else. */
function showsFileAlone({ shows = [], isError, made }: Row): boolean {
	return shows.length > 0 && shows.every((touch) => !touch.mixed) && !isError && !made;
}

/** Makes room for so many rows. */
export function widenRows(columns: TouchColumns, length: number): void {
	columns.rows = widened(columns.rows, new Int32Array(3 * length));
}

/** Takes what a row does to files. */
export function takeTouches(columns: TouchColumns, row: Row): void {
	const place = 3 * row.seq;
	columns.rows[place] = columns.length;
	for (const touch of row.touches ?? []) if (touch.kind === 'edit') pushTouch(columns, touch);
	columns.rows[place + 1] = columns.length;
	if (showsFileAlone(row)) for (const touch of row.shows ?? []) pushTouch(columns, touch);
	columns.rows[place + 2] = columns.length;
}

/** What becomes of files behind a place, gathered from the end of a history. */
export interface FilesLater {
	columns: TouchColumns;
	/** By path: one more than the read, or the edit, that was noted last, and how many were. */
	reads: Int32Array;
	edits: Int32Array;
	readCounts: Uint16Array;
	editCounts: Uint16Array;
	/** By path: 1 where the whole of it, or some part that is not told, is edited. */
	editedWhole: Uint8Array;
	/** By touch: one more than the one of its kind and path that was noted before it. */
	next: Int32Array;
}

/** Of the end of a history, behind which nothing is. */
export function filesLater(columns: TouchColumns): FilesLater {
	const { size } = columns.numbers;
	return {
		columns,
		reads: new Int32Array(size),
		edits: new Int32Array(size),
		readCounts: new Uint16Array(size),
		editCounts: new Uint16Array(size),
		editedWhole: new Uint8Array(size),
		next: new Int32Array(columns.length),
	};
}

/**
 * Whether a later read shows every line that an earlier one of the same file showed, as far as the two calls tell. It
 * says nothing of whether the file changed in between.
 */
function coversTouch({ kinds, lines }: TouchColumns, later: number, earlier: number): boolean {
	const ofLater = kinds[later] ?? 0;
	const ofEarlier = kinds[earlier] ?? 0;
	if ((ofLater | ofEarlier) & touchKind.edit) return false;
	const from = lines[3 * later] ?? 1;
	const to = lines[3 * later + 1] ?? 0;
	if (ofLater & touchKind.fromEnd) {
		return (
			(ofEarlier & touchKind.fromEnd) !== 0 && (lines[3 * later + 2] ?? 0) >= (lines[3 * earlier + 2] ?? 0)
		);
	}
	if (ofEarlier & touchKind.fromEnd) return from <= 1 && to === Number.POSITIVE_INFINITY;
	return from <= (lines[3 * earlier] ?? 1) && to >= (lines[3 * earlier + 1] ?? 0);
}

/** Whether an edit may have changed a line that a read of the same file showed. */
function overlapsTouch({ kinds, lines }: TouchColumns, edit: number, read: number): boolean {
	if ((kinds[read] ?? 0) & touchKind.edit) return false;
	if (((kinds[edit] ?? 0) | (kinds[read] ?? 0)) & touchKind.fromEnd) return true;
	return (
		(lines[3 * edit] ?? 1) <= (lines[3 * read + 1] ?? 0) &&
		(lines[3 * read] ?? 1) <= (lines[3 * edit + 1] ?? 0)
	);
}

/** Whether what a touch shows is shown again behind it, or was edited since and is read again. */
function isSuperseded(later: FilesLater, touch: number): boolean {
	const { columns } = later;
	const path = columns.paths[touch] ?? 0;
	if (later.readCounts[path] === 0) return false;
	if (later.editedWhole[path] === 1 && !((columns.kinds[touch] ?? 0) & touchKind.edit)) return true;
	for (let read = later.reads[path] ?? 0; read > 0; read = later.next[read - 1] ?? 0)
		if (coversTouch(columns, read - 1, touch)) return true;
	for (let edit = later.edits[path] ?? 0; edit > 0; edit = later.next[edit - 1] ?? 0)
		if (overlapsTouch(columns, edit - 1, touch)) return true;
	return false;
}

function isWithin(columns: TouchColumns, inner: number, outer: number): boolean {
	return ((columns.kinds[outer] ?? 0) & touchKind.whole) !== 0 || coversTouch(columns, outer, inner);
}

/** Notes a touch that lies before all that were noted. */
function noteTouch(later: FilesLater, touch: number): void {
	const { columns, editedWhole, next } = later;
	const path = columns.paths[touch] ?? 0;
	// Once all of a file is edited and then read, every earlier read is superseded, whatever else is known.
	if (editedWhole[path] === 1 && (later.readCounts[path] ?? 0) > 0) return;
	const kinds = columns.kinds[touch] ?? 0;
	const isEdit = (kinds & touchKind.edit) !== 0;
	const known = isEdit ? later.edits : later.reads;
	const counts = isEdit ? later.editCounts : later.readCounts;
	if ((counts[path] ?? 0) >= maxTouchesPerFile) return;
	for (let one = known[path] ?? 0; one > 0; one = next[one - 1] ?? 0)
		if (isWithin(columns, touch, one - 1)) return;
	next[touch] = known[path] ?? 0;
	known[path] = touch + 1;
	counts[path] = (counts[path] ?? 0) + 1;
	if (isEdit && kinds & touchKind.whole) editedWhole[path] = 1;
}

/** Whether all that a row shows of files, and nothing else, is shown behind it or was edited since and is read again. */
export function isShownLater(later: FilesLater, seq: Seq): boolean {
	const { rows } = later.columns;
	const from = rows[3 * seq + 1] ?? 0;
	const to = rows[3 * seq + 2] ?? 0;
	for (let touch = from; touch < to; touch++) if (!isSuperseded(later, touch)) return false;
	return to > from;
}

/** Notes what a row shows of files, where it shows nothing else. A row is noted once, after all behind it. */
export function noteShown(later: FilesLater, seq: Seq): void {
	const { rows } = later.columns;
	const to = rows[3 * seq + 2] ?? 0;
	for (let touch = rows[3 * seq + 1] ?? 0; touch < to; touch++) noteTouch(later, touch);
}

/** Notes the edits of a row that hold, by their index among its edits. A row is noted once, after all behind it. */
export function noteEdits(later: FilesLater, seq: Seq, holds: (index: number) => boolean): void {
	const { rows } = later.columns;
	const from = rows[3 * seq] ?? 0;
	const to = rows[3 * seq + 1] ?? 0;
	for (let touch = from; touch < to; touch++) if (holds(touch - from)) noteTouch(later, touch);
}
