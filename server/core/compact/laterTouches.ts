/** What becomes of files after a place in a history: whether a later read replaces an earlier one. */

import { getOrInsert } from '../getOrInsert.ts';
import type { RowTouch } from '../history/record.ts';
import type { Row } from '../history/row.ts';

/** The newest reads and edits of a file with which an earlier one is compared. */
const maxTouchesPerFile = 256;

/** What was found of one file. */
interface FileTouches {
	reads: RowTouch[];
	edits: RowTouch[];
	/** Whether all of it, or a part that nobody knows, is edited. */
	isEditedWhole: boolean;
}

function createFileTouches(): FileTouches {
	return { reads: [], edits: [], isEditedWhole: false };
}

function endOf({ to = Number.POSITIVE_INFINITY }: RowTouch): number {
	return to;
}

/** Whether a touch is of the whole file, or of lines that nobody knows. */
function isWhole({ from, to, lastLines }: RowTouch): boolean {
	return from === undefined && to === undefined && lastLines === undefined;
}

/**
 * Whether a later read shows every line that an earlier one of the same file showed, as far as the two calls tell. It says
 * nothing of whether the file changed in between.
 */
function covers(later: RowTouch, earlier: RowTouch): boolean {
	if (later.kind === 'edit' || earlier.kind === 'edit') return false;
	if (later.lastLines !== undefined)
		return earlier.lastLines !== undefined && later.lastLines >= earlier.lastLines;
	if (earlier.lastLines !== undefined) return (later.from ?? 1) <= 1 && later.to === undefined;
	return (later.from ?? 1) <= (earlier.from ?? 1) && endOf(later) >= endOf(earlier);
}

/** Whether an edit may have changed a line that a read of the same file showed. */
function overlaps(edit: RowTouch, read: RowTouch): boolean {
	if (read.kind === 'edit') return false;
	if (edit.lastLines !== undefined || read.lastLines !== undefined) return true;
	return (edit.from ?? 1) <= endOf(read) && (read.from ?? 1) <= endOf(edit);
}

/** The lines of files that a result shows, if it shows nothing else. */
function linesAlone({ shows = [], isError, made }: Row): readonly RowTouch[] {
	return isError || made || shows.some(({ mixed }) => mixed) ? [] : shows;
}

/** Collects touches from the end of a history; a row is added once, after all rows behind it. */
export class LaterTouches {
	private readonly files = new Map<string, FileTouches>();

	/** Whether all that a row shows of files, and nothing else, is shown later, or was edited since and is read again. */
	isShownLater(row: Row): boolean {
		const shown = linesAlone(row);
		return shown.length > 0 && shown.every((touch) => this.isSuperseded(touch));
	}

	/** Adds what a row shows of files, if it shows nothing else. */
	addShown(row: Row): void {
		for (const touch of linesAlone(row)) this.add(touch);
	}

	/** Adds the edits of a row that hold. */
	addEdits({ touches = [] }: Row, holds: (touch: RowTouch) => boolean): void {
		for (const touch of touches) if (touch.kind === 'edit' && holds(touch)) this.add(touch);
	}

	private isSuperseded(touch: RowTouch): boolean {
		const file = this.files.get(touch.path);
		if (file === undefined || file.reads.length === 0) return false;
		if (file.isEditedWhole && touch.kind !== 'edit') return true;
		return file.reads.some((read) => covers(read, touch)) || file.edits.some((edit) => overlaps(edit, touch));
	}

	private add(touch: RowTouch): void {
		const file = getOrInsert(this.files, touch.path, createFileTouches);
		// Once all of a file is edited and then read, every earlier read is superseded, whatever else is known.
		if (file.isEditedWhole && file.reads.length > 0) return;
		const known = touch.kind === 'edit' ? file.edits : file.reads;
		if (known.length >= maxTouchesPerFile || known.some((one) => isWhole(one) || covers(one, touch))) return;
		known.push(touch);
		if (touch.kind === 'edit' && isWhole(touch)) file.isEditedWhole = true;
	}
}
