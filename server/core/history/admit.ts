/**
 * The gate through which every lossy change of the view goes: whole units, whole tool batches, nothing protected,
 * never larger.
 */

import { weighRow, weightOf } from '../meter/reading.ts';
import type { Protection } from './protection.ts';
import type { Seq } from './record.ts';
import type { Row, Unit } from './row.ts';
import { firstUnitFrom, isInPlace, isShownInPlace } from './seen.ts';
import type { State } from './state.ts';
import { paint, pinnedRows, sheetsInForce } from './view.ts';

/** A patch before its body is stored. */
export interface ProposedPatch {
	from: Seq;
	to: Seq;
	show?: Pick<Row, 'id' | 'counts'>;
}

/** Why a proposal was refused. */
export type AdmissionRefusal = 'empty' | 'cuts a unit' | 'cuts a batch' | 'protected' | 'overlaps' | 'grows';

/** Whether the rows on both sides of a boundary lie under one and the same patch. */
function partsPatch(cover: { top: Uint32Array; start: Uint32Array }, boundary: Seq): boolean {
	const { top, start } = cover;
	const no = top[boundary] ?? 0;
	return boundary > 0 && no !== 0 && no === top[boundary - 1] && start[boundary] === start[boundary - 1];
}

/** Of every row, the uppermost sheet and where its patch starts. */
function coverOf(state: State): { top: Uint32Array; start: Uint32Array } {
	const top = paint(state);
	const start = new Uint32Array(state.rows.length);
	for (const sheet of sheetsInForce(state)) {
		for (const patch of sheet.patches) start.fill(patch.from, patch.from, patch.to);
	}
	return { top, start };
}

/** Whether two neighbours in the view are a call and its result, or two results of one message. */
function isOneBatch(state: State, before: Unit | undefined, after: Unit | undefined): boolean {
	if (!before || !after || before.row.batch !== after.row.batch) return false;
	return isShownInPlace(before, state.rows) && isShownInPlace(after, state.rows);
}

/** Whether one side of a boundary of the patch is seen and belongs to the other. */
function cutsBatch(state: State, patch: ProposedPatch): boolean {
	if (isInPlace(patch, state.rows)) return false;
	const first = firstUnitFrom(state.view, patch.from);
	const after = firstUnitFrom(state.view, patch.to);
	if (first === after) return false;
	const { view } = state;
	return isOneBatch(state, view[first - 1], view[first]) || isOneBatch(state, view[after - 1], view[after]);
}

function refuse(
	state: State,
	patches: readonly ProposedPatch[],
	protection: Protection,
): AdmissionRefusal | null {
	const cover = coverOf(state);
	const sorted = [...patches].sort((a, b) => a.from - b.from);
	let end: Seq = 0;
	for (const patch of sorted) {
		if (patch.from >= patch.to || patch.from < 0 || patch.to > state.rows.length) return 'empty';
		if (patch.from < end) return 'overlaps';
		end = patch.to;
		if (partsPatch(cover, patch.from) || partsPatch(cover, patch.to)) return 'cuts a unit';
		if (cutsBatch(state, patch)) return 'cuts a batch';
	}
	return touchesProtected(state, sorted, protection, cover.top) ? 'protected' : null;
}

function touchesProtected(
	state: State,
	sorted: readonly ProposedPatch[],
	protection: Protection,
	top: Uint32Array,
): boolean {
	const pinned = pinnedRows(state);
	const rows = [...protection.rows].sort((a, b) => a - b);
	let index = 0;
	for (const seq of rows) {
		while (index < sorted.length && (sorted[index]?.to ?? 0) <= seq) index++;
		const patch = sorted[index];
		if (!patch || patch.from > seq) continue;
		// What shows through an older sheet shows through a newer one too.
		if (top[seq] !== 0 && pinned.has(seq)) continue;
		if (!(protection.cuttable.has(seq) && isInPlace(patch, state.rows))) return true;
	}
	return false;
}

/** Tokens of what a patch shows, on the meter's scale. */
function weighShown({ rows, meter }: State, { from, show }: ProposedPatch): number {
	const original = rows[from];
	if (!show || !original) return 0;
	const shown: Row = { ...original, ...show, exact: undefined, made: 'shortened' };
	return weightOf(meter, shown) * (show.counts.text + show.counts.calls + show.counts.images);
}

/**
 * Whether the units that the patches cover take more tokens than what the patches show, but for originals that are
 * pinned. Looks at no more of them than it takes to tell.
 */
function isSmaller(state: State, patches: readonly ProposedPatch[]): boolean {
	const { view, meter } = state;
	const pinned = pinnedRows(state);
	let left = patches.reduce((sum, patch) => sum + weighShown(state, patch), 0);
	for (const { from, to } of patches) {
		for (let index = firstUnitFrom(view, from); index < view.length; index++) {
			const unit = view[index];
			if (!unit || unit.from >= to) break;
			if (unit.sheet !== 0 || !pinned.has(unit.from)) left -= weighRow(meter, unit.row);
			if (left < 0) return true;
		}
	}
	return false;
}

/** Null where the patches may be laid, else why not. */
export function admit(
	state: State,
	patches: readonly ProposedPatch[],
	protection: Protection,
): AdmissionRefusal | null {
	if (patches.length === 0) return 'empty';
	const refusal = refuse(state, patches, protection);
	if (refusal) return refusal;
	return isSmaller(state, patches) ? null : 'grows';
}
