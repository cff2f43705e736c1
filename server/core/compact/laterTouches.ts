/** Decides whether a read of a file is shown again or edited later. */

import { getOrInsert } from '../getOrInsert.ts';
import type { RowTouch } from '../history/record.ts';
import type { Row } from '../history/row.ts';

/** Maximum number of newest reads, and of newest edits, of a file that an earlier read is compared with. */
const maxTouchesPerFile = 256;

/** The later reads and edits of one file. */
interface FileTouches {
	reads: RowTouch[];
	edits: RowTouch[];
	/** Whether an edit covers the whole file, or unknown lines. */
	isEditedWhole: boolean;
}

function getEnd({ to = Number.POSITIVE_INFINITY }: RowTouch): number {
	return to;
}

/** Whether a touch covers the whole file, or unknown lines. */
function isWhole({ from, to, lastLines }: RowTouch): boolean {
	return from === undefined && to === undefined && lastLines === undefined;
}

/**
 * Whether a later read shows every line of an earlier read of the same file, judged by the arguments of both. The file
 * may have changed in between.
 */
function doesCover(later: RowTouch, earlier: RowTouch): boolean {
	if (later.kind === 'edit' || earlier.kind === 'edit') return false;
	if (later.lastLines !== undefined)
		return earlier.lastLines !== undefined && later.lastLines >= earlier.lastLines;
	if (earlier.lastLines !== undefined) return (later.from ?? 1) <= 1 && later.to === undefined;
	return (later.from ?? 1) <= (earlier.from ?? 1) && getEnd(later) >= getEnd(earlier);
}

/** Whether an edit may have changed a line that a read of the same file shows. */
function doesOverlap(edit: RowTouch, read: RowTouch): boolean {
	if (read.kind === 'edit') return false;
	if (edit.lastLines !== undefined || read.lastLines !== undefined) return true;
	return (edit.from ?? 1) <= getEnd(read) && (read.from ?? 1) <= getEnd(edit);
}

/** Returns the file lines that a result shows; empty if the result also shows anything else. */
export function findOnlyLines({ shows = [], isError, made }: Row): readonly RowTouch[] {
	return isError || made || shows.some(({ mixed }) => mixed) ? [] : shows;
}

/** Collects the touches of a history from its end. Each row must be added once, after all later rows. */
export class LaterTouches {
	private readonly files = new Map<string, FileTouches>();
	/** Ids of calls whose results report no failure. A result is added before its call. */
	private readonly succeededCallIds = new Set<string>();

	/** Records whether the call of a result failed: a failed call changed nothing. */
	addOutcome({ answers, isError }: Row): void {
		if (answers === undefined) return;
		if (isError) this.succeededCallIds.delete(answers);
		else this.succeededCallIds.add(answers);
	}

	/** Whether a row shows only file lines that later reads show again. */
	isShownLater(row: Row): boolean {
		const touches = findOnlyLines(row);
		return touches.length > 0 && touches.every((touch) => this.isReadLater(touch));
	}

	/** Adds the file lines that a row shows, if the row shows nothing else. */
	addShown(row: Row): void {
		for (const touch of findOnlyLines(row)) this.add(touch);
	}

	/** Adds the edits of a row whose calls succeeded, after `resolve` named their files. */
	addEdits({ touches = [] }: Row, resolve = (touch: RowTouch): RowTouch => touch): void {
		for (const touch of touches) {
			if (touch.kind === 'edit' && this.succeededCallIds.has(touch.callId)) this.add(resolve(touch));
		}
	}

	/** Whether a later read shows all lines of a read. */
	isReadLater(read: RowTouch): boolean {
		return this.files.get(read.path)?.reads.some((later) => doesCover(later, read)) === true;
	}

	/** Whether the lines of a read are shown again or edited later. */
	isOutdated(read: RowTouch): boolean {
		const file = this.files.get(read.path);
		if (file === undefined || read.kind === 'edit') return false;
		if (file.isEditedWhole || this.isReadLater(read)) return true;
		return file.edits.some((edit) => doesOverlap(edit, read));
	}

	/** Adds a touch. It must be earlier than all touches that were added before. */
	add(touch: RowTouch): void {
		const file = getOrInsert(this.files, touch.path, () => ({ reads: [], edits: [], isEditedWhole: false }));
		const isEdit = touch.kind === 'edit';
		const touches = isEdit ? file.edits : file.reads;
		const isKnown = isEdit ? file.isEditedWhole : touches.some((one) => doesCover(one, touch));
		if (isKnown || touches.length >= maxTouchesPerFile) return;
		touches.push(touch);
		if (isEdit && isWhole(touch)) file.isEditedWhole = true;
	}
}
