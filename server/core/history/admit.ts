/**
 * Checks changes of the view that hide messages: a change must replace only whole units and whole groups of calls and
 * results, must not touch protected rows, and must save tokens.
 */

import { findTokenWeight, weighRow } from '../meter/reading.ts';
import type { Protection } from './protection.ts';
import type { Seq } from './record.ts';
import type { Row, Unit } from './row.ts';
import type { State } from './state.ts';
import { findFirstUnitFrom, isInPlace, isShownInPlace } from './unitLookup.ts';
import { findPinnedRows, findTopLayers, listActiveLayers } from './view.ts';

/** A patch before its body is stored. */
export interface ProposedPatch {
	from: Seq;
	to: Seq;
	show?: Pick<Row, 'id' | 'counts'>;
}

/** Why a proposal was refused. */
export type AdmissionRefusal = 'empty' | 'cuts a unit' | 'cuts a batch' | 'protected' | 'overlaps' | 'grows';

/** The visible patch of each row. */
interface TopPatches {
	/** By row: number of its topmost active layer; 0 if there is none. */
	layers: Uint32Array;
	/** By row: first row of the patch of that layer. */
	starts: Uint32Array;
}

/** Whether one patch covers the rows on both sides of a boundary. */
function isInsidePatch({ layers, starts }: TopPatches, boundary: Seq): boolean {
	const no = layers[boundary] ?? 0;
	const hasSameLayer = boundary > 0 && no !== 0 && no === layers[boundary - 1];
	return hasSameLayer && starts[boundary] === starts[boundary - 1];
}

function findTopPatches(state: State): TopPatches {
	const starts = new Uint32Array(state.rows.length);
	for (const layer of listActiveLayers(state)) {
		for (const patch of layer.patches) starts.fill(patch.from, patch.from, patch.to);
	}
	return { layers: findTopLayers(state), starts };
}

/** Whether two neighbours in the view are a call and its result, or two results of one message. */
function areInOneBatch(state: State, before: Unit | undefined, after: Unit | undefined): boolean {
	if (!before || !after || before.row.batch !== after.row.batch) return false;
	return isShownInPlace(before, state.rows) && isShownInPlace(after, state.rows);
}

/** Whether a boundary of the patch separates visible messages of one tool batch. */
function splitsBatch(state: State, patch: ProposedPatch): boolean {
	if (isInPlace(patch, state.rows)) return false;
	const first = findFirstUnitFrom(state.view, patch.from);
	const after = findFirstUnitFrom(state.view, patch.to);
	if (first === after) return false;
	const { view } = state;
	return (
		areInOneBatch(state, view[first - 1], view[first]) || areInOneBatch(state, view[after - 1], view[after])
	);
}

function findRefusal(
	state: State,
	patches: readonly ProposedPatch[],
	protection: Protection,
): AdmissionRefusal | null {
	const topPatches = findTopPatches(state);
	const sortedPatches = [...patches].sort((a, b) => a.from - b.from);
	let end: Seq = 0;
	for (const patch of sortedPatches) {
		if (patch.from >= patch.to || patch.from < 0 || patch.to > state.rows.length) return 'empty';
		if (patch.from < end) return 'overlaps';
		end = patch.to;
		if (isInsidePatch(topPatches, patch.from) || isInsidePatch(topPatches, patch.to)) return 'cuts a unit';
		if (splitsBatch(state, patch)) return 'cuts a batch';
	}
	return touchesProtectedRow(state, sortedPatches, protection, topPatches.layers) ? 'protected' : null;
}

function touchesProtectedRow(
	state: State,
	sortedPatches: readonly ProposedPatch[],
	protection: Protection,
	topLayers: Uint32Array,
): boolean {
	const pinnedRows = findPinnedRows(state);
	const rows = [...protection.rows].sort((a, b) => a - b);
	let index = 0;
	for (const seq of rows) {
		while (index < sortedPatches.length && (sortedPatches[index]?.to ?? 0) <= seq) index++;
		const patch = sortedPatches[index];
		if (!patch || patch.from > seq) continue;
		// Its pin kept the row visible although an older layer covers it: no other layer hides it either.
		if (topLayers[seq] !== 0 && pinnedRows.has(seq)) continue;
		if (!(protection.cuttableRows.has(seq) && isInPlace(patch, state.rows))) return true;
	}
	return false;
}

/** Returns the tokens of the row that a patch shows, on the meter's scale; 0 if the patch shows nothing. */
function countShownTokens({ rows, meter }: State, { from, show }: ProposedPatch): number {
	const originalRow = rows[from];
	if (!show || !originalRow) return 0;
	const shownRow: Row = { ...originalRow, ...show, exact: undefined, made: 'shortened' };
	return findTokenWeight(meter, shownRow) * (show.counts.text + show.counts.calls + show.counts.images);
}

/**
 * Whether the patches show fewer tokens than the units that they cover. Pinned originals save nothing, because they
 * remain visible. Stops as soon as the answer is certain.
 */
function savesTokens(state: State, patches: readonly ProposedPatch[]): boolean {
	const { view, meter } = state;
	const pinnedRows = findPinnedRows(state);
	let remainingTokens = patches.reduce((sum, patch) => sum + countShownTokens(state, patch), 0);
	for (const { from, to } of patches) {
		for (let index = findFirstUnitFrom(view, from); index < view.length; index++) {
			const unit = view[index];
			if (!unit || unit.from >= to) break;
			if (unit.layer !== 0 || !pinnedRows.has(unit.from)) remainingTokens -= weighRow(meter, unit.row);
			if (remainingTokens < 0) return true;
		}
	}
	return false;
}

/** Returns null if the patches may be applied, otherwise the reason for refusing them. */
export function admit(
	state: State,
	patches: readonly ProposedPatch[],
	protection: Protection,
): AdmissionRefusal | null {
	if (patches.length === 0) return 'empty';
	const refusal = findRefusal(state, patches, protection);
	if (refusal) return refusal;
	return savesTokens(state, patches) ? null : 'grows';
}
