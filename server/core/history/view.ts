/**
 * Composes the visible history. Rows never change: numbered layers cover them, and for each row the topmost layer is
 * visible. Pinned messages stay visible under the layers of compactions, but not under those of a rewind or rollback.
 */

import { findBatchEnd } from './batch.ts';
import type { Seq } from './record.ts';
import type { Row, Unit } from './row.ts';
import type { Layer, Patch, State, Step } from './state.ts';
import { findFirstUnitFrom, isShownInPlace } from './unitLookup.ts';

/** Returns the active layers, lowest first. */
export function listActiveLayers(state: State): Layer[] {
	return [...state.activeLayers]
		.sort((a, b) => a - b)
		.map((no) => state.layers.get(no))
		.filter((layer) => layer !== undefined);
}

/** Returns the number of the topmost active layer of each row; 0 for a row without one. */
export function findTopLayers(state: State): Uint32Array {
	const top = new Uint32Array(state.rows.length);
	for (const layer of listActiveLayers(state)) {
		for (const patch of layer.patches) top.fill(layer.no, patch.from, patch.to);
	}
	return top;
}

/** Returns 1 for each row that a rewind or rollback removed. O(rows). */
export function markCutRows(state: State): Uint8Array {
	const isCut = new Uint8Array(state.rows.length);
	for (const { lossy, patches } of listActiveLayers(state)) {
		if (!lossy) for (const { from, to } of patches) isCut.fill(1, from, to);
	}
	return isCut;
}

/** Returns every row of the tool batches that contain a pinned message. */
export function findPinnedRows(state: State): Set<Seq> {
	const starts = new Set<Seq>();
	for (const pin of state.pins) {
		const start = state.rows[pin]?.batch;
		if (start !== undefined) starts.add(start);
	}
	const pinnedRows = new Set<Seq>();
	for (const start of starts) {
		const end = findBatchEnd(state.rows, start);
		for (let seq = start; seq < end; seq++) pinnedRows.add(seq);
	}
	return pinnedRows;
}

/** Returns the rows that pins keep visible: those of pinned batches, unless a rewind or rollback removed them. */
function findPinnedVisibleRows(state: State): Set<Seq> {
	const visiblePins = findPinnedRows(state);
	if (visiblePins.size === 0) return visiblePins;
	const isCut = markCutRows(state);
	for (const seq of visiblePins) if (isCut[seq]) visiblePins.delete(seq);
	return visiblePins;
}

/** Returns the units that the topmost layers show instead of rows, by their first row. */
function findVisibleReplacements(state: State, topLayers: Uint32Array): Map<Seq, Unit> {
	const replacements = new Map<Seq, Unit>();
	for (const { no, patches } of listActiveLayers(state)) {
		for (const { from, to, show } of patches) {
			if (show && topLayers[from] === no) replacements.set(from, { row: show, from, to, layer: no });
		}
	}
	return replacements;
}

/** Returns the whole view, in order; O(rows). */
export function composeView(state: State): Unit[] {
	if (state.activeLayers.size === 0) return state.units.slice();
	const topLayers = findTopLayers(state);
	const replacements = findVisibleReplacements(state, topLayers);
	const visiblePins = findPinnedVisibleRows(state);
	// Faster than looking up each of a million rows in both maps, which are small.
	const isSpecial = new Uint8Array(state.rows.length);
	for (const seq of replacements.keys()) isSpecial[seq] = 1;
	for (const seq of visiblePins) isSpecial[seq] = 1;
	const view: Unit[] = [];
	for (let seq = 0; seq < topLayers.length; seq++) {
		if (topLayers[seq] !== 0 && isSpecial[seq] === 0) continue;
		const unit = state.units[seq];
		if (unit === undefined) continue;
		if (isSpecial[seq] === 0) {
			view.push(unit);
			continue;
		}
		const replacement = replacements.get(seq);
		const isPinned = visiblePins.has(seq);
		if (replacement && !(isPinned && isShownInPlace(replacement, state.rows))) view.push(replacement);
		if (topLayers[seq] === 0 || isPinned) view.push(unit);
	}
	return view;
}

/**
 * Returns the view with a new topmost layer, for a history of `rows` rows. Costs O(patches + visible),
 * which may be far less than O(rows). Undefined if the view alone does not determine the result.
 */
function overlayLayer(view: readonly Unit[], { no, patches }: Layer, rows: number): Unit[] | undefined {
	// Copies unit by unit, because joining slices of a million units takes three times as long.
	const composedView: Unit[] = [];
	let coveredEnd = 0;
	let index = 0;
	function copyUpTo(end: number): void {
		for (; index < end; index++) composedView.push(view[index] as Unit);
	}
	for (const { from, to, show } of patches) {
		if (from < coveredEnd || to <= from || from >= rows) return undefined;
		copyUpTo(findFirstUnitFrom(view, from, index));
		if (show) composedView.push({ row: show, from, to, layer: no });
		coveredEnd = to;
		index = findFirstUnitFrom(view, to, index);
	}
	copyUpTo(view.length);
	return composedView;
}

/** Returns the view after a step that adds the topmost layer, without a pass over all rows; undefined for other steps. */
export function composeViewAfterStep(state: State, { sheet: layer, on, off }: Step): Unit[] | undefined {
	const isOnTop = layer !== undefined && off.length === 0 && on.length === 1 && on[0] === layer.no;
	if (!isOnTop || state.pins.size > 0) return undefined;
	for (const no of state.activeLayers) if (no > layer.no) return undefined;
	return overlayLayer(state.view, layer, state.rows.length);
}

type PatchGroup = NonNullable<Patch['behind']>;

/**
 * Returns 1 for each row that the summary or marker of a layer replaces, including the rows behind older summaries and
 * markers that it replaced. A `Set` of a million rows takes ten times as long.
 */
function markReplacedRows(state: State, layer: Layer, group: PatchGroup): Uint8Array {
	const isReplaced = new Uint8Array(state.rows.length);
	const markGroup = ({ patches }: Layer, groupToMark: PatchGroup): void => {
		for (const { from, to, behind } of patches) if (behind === groupToMark) isReplaced.fill(1, from, to);
	};
	markGroup(layer, group);
	for (const olderLayer of listActiveLayers(state).reverse()) {
		if (olderLayer.no >= layer.no) continue;
		for (const { from, show, behind } of olderLayer.patches) {
			if (show && behind && isReplaced[from]) markGroup(olderLayer, behind);
		}
	}
	return isReplaced;
}

/**
 * Returns the original rows that a summary or marker replaces, in order.
 *
 * Includes the rows of older summaries and markers that this one replaced, but not rows that a rewind or rollback
 * removed. Undefined if the id belongs to no summary or marker.
 */
export function findReplacedRows(state: State, id: string): Row[] | undefined {
	for (const layer of state.layers.values()) {
		const group = layer.patches.find((patch) => patch.show?.id === id)?.behind;
		if (!group) continue;
		const isReplaced = markReplacedRows(state, layer, group);
		const isCut = markCutRows(state);
		return state.rows.filter((_, seq) => isReplaced[seq] && !isCut[seq]);
	}
	return undefined;
}
