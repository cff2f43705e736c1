/**
 * The gate through which every lossy change of the view goes: whole units, whole tool batches, nothing protected,
 * never larger.
 */

import { weighRow, weightOf } from '../measure/estimate.ts';
import type { Protection } from './protection.ts';
import type { Seq } from './record.ts';
import type { Row, State, Unit } from './state.ts';
import { isInPlace, paint, sheetsInForce } from './view.ts';

/** A patch before its body is stored. */
export interface ProposedPatch {
	from: Seq;
	to: Seq;
	show?: Pick<Row, 'id' | 'counts'>;
}

/** Why a proposal was refused. */
export type Refusal = 'empty' | 'cuts a unit' | 'cuts a batch' | 'protected' | 'overlaps' | 'grows';

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

function cutsBatch(state: State, patch: ProposedPatch): boolean {
	if (isInPlace(patch, state.rows)) return false;
	const first = state.rows[patch.from];
	const after = state.rows[patch.to];
	return first?.batch !== patch.from || (after !== undefined && after.batch < patch.to);
}

function refuse(state: State, patches: readonly ProposedPatch[], protection: Protection): Refusal | null {
	const cover = coverOf(state);
	let end: Seq = 0;
	for (const patch of [...patches].sort((a, b) => a.from - b.from)) {
		if (patch.from >= patch.to || patch.from < 0 || patch.to > state.rows.length) return 'empty';
		if (patch.from < end) return 'overlaps';
		end = patch.to;
		if (partsPatch(cover, patch.from) || partsPatch(cover, patch.to)) return 'cuts a unit';
		if (cutsBatch(state, patch)) return 'cuts a batch';
	}
	for (const seq of protection.rows) {
		// What shows through an older sheet shows through a newer one too.
		if (cover.top[seq] !== 0 && state.pins.has(seq)) continue;
		if (patches.some((patch) => seq >= patch.from && seq < patch.to)) return 'protected';
	}
	return null;
}

/** Units of the view that lie in [from, to), by bisection. */
export function unitsWithin(view: readonly Unit[], from: Seq, to: Seq): Unit[] {
	let low = 0;
	let high = view.length;
	while (low < high) {
		const middle = (low + high) >> 1;
		if ((view[middle]?.from ?? 0) < from) low = middle + 1;
		else high = middle;
	}
	const found: Unit[] = [];
	for (let at = low; at < view.length; at++) {
		const unit = view[at];
		if (!unit || unit.from >= to) break;
		found.push(unit);
	}
	return found;
}

/** Tokens that a patch would save on the meter's scale; not rounded, below zero where it would grow. */
export function savingOf(state: State, patch: ProposedPatch): number {
	const before = unitsWithin(state.view, patch.from, patch.to)
		.filter((unit) => unit.sheet !== 0 || !state.pins.has(unit.from))
		.reduce((sum, unit) => sum + weighRow(state.meter, unit.row), 0);
	const original = state.rows[patch.from];
	if (!patch.show || !original) return before;
	const shown: Row = { ...original, ...patch.show, exact: undefined, made: 'shortened' };
	const { text, calls, images } = patch.show.counts;
	return before - weightOf(state.meter, shown) * (text + calls + images);
}

/** Null where the patches may be laid, else why not. */
export function admit(
	state: State,
	patches: readonly ProposedPatch[],
	protection: Protection,
): Refusal | null {
	if (patches.length === 0) return 'empty';
	const refusal = refuse(state, patches, protection);
	if (refusal) return refusal;
	const saving = patches.reduce((sum, patch) => sum + savingOf(state, patch), 0);
	return saving > 0 ? null : 'grows';
}
