/**
 * What is visible: rows never change, sheets lie over them by number, and through each row the uppermost sheet
 * is seen. Pinned batches show through the sheets of compactions, not through cuts.
 */

import { batchEnd } from './batch.ts';
import type { Seq } from './record.ts';
import type { Row, Unit } from './row.ts';
import { isInPlace } from './seen.ts';
import type { Patch, Sheet, State } from './state.ts';

/** Sheets in force, lowest first. */
export function sheetsInForce(state: State): Sheet[] {
	return [...state.on]
		.sort((a, b) => a - b)
		.map((no) => state.sheets.get(no))
		.filter((sheet) => sheet !== undefined);
}

/** Number of the sheet that lies uppermost on each row; 0 where none does. */
export function paint(state: State): Uint32Array {
	const top = new Uint32Array(state.rows.length);
	for (const sheet of sheetsInForce(state)) {
		for (const patch of sheet.patches) top.fill(sheet.no, patch.from, patch.to);
	}
	return top;
}

/** Every row of the batches that hold a pinned message. */
export function pinnedRows(state: State): Set<Seq> {
	const starts = new Set<Seq>();
	for (const pin of state.pins) {
		const start = state.rows[pin]?.batch;
		if (start !== undefined) starts.add(start);
	}
	const pinned = new Set<Seq>();
	for (const start of starts) {
		const end = batchEnd(state.rows, start);
		for (let seq = start; seq < end; seq++) pinned.add(seq);
	}
	return pinned;
}

/** Rows that show through: every row of a pinned batch, unless a cut took it away. */
function pinnedThrough(state: State): Set<Seq> {
	const through = pinnedRows(state);
	if (through.size === 0) return through;
	for (const sheet of sheetsInForce(state)) {
		if (sheet.lossy) continue;
		for (const patch of sheet.patches) {
			for (const seq of through) if (seq >= patch.from && seq < patch.to) through.delete(seq);
		}
	}
	return through;
}

function shownPatches(state: State, top: Uint32Array): Map<Seq, { patch: Patch; show: Row; no: number }> {
	const shown = new Map<Seq, { patch: Patch; show: Row; no: number }>();
	for (const sheet of sheetsInForce(state)) {
		for (const patch of sheet.patches) {
			if (patch.show && top[patch.from] === sheet.no) {
				shown.set(patch.from, { patch, show: patch.show, no: sheet.no });
			}
		}
	}
	return shown;
}

/** The whole view, in order; O(rows). */
export function paintView(state: State): Unit[] {
	if (state.on.size === 0) return state.units.slice();
	const top = paint(state);
	const shown = shownPatches(state, top);
	const through = pinnedThrough(state);
	// A million rows are looked up here: few of them are in the maps.
	const isSpecial = new Uint8Array(state.rows.length);
	for (const seq of shown.keys()) isSpecial[seq] = 1;
	for (const seq of through) isSpecial[seq] = 1;
	const view: Unit[] = [];
	for (let seq = 0; seq < top.length; seq++) {
		if (top[seq] !== 0 && isSpecial[seq] === 0) continue;
		const unit = state.units[seq];
		if (unit === undefined) continue;
		if (isSpecial[seq] === 0) {
			view.push(unit);
			continue;
		}
		const covered = shown.get(seq);
		const pinned = through.has(seq);
		if (covered && !(pinned && isInPlace(covered.patch, state.rows))) {
			view.push({ row: covered.show, from: seq, to: covered.patch.to, sheet: covered.no });
		}
		if (top[seq] === 0 || pinned) view.push(unit);
	}
	return view;
}

/** Index of the first unit of a view that begins at a row or behind it, `after` or later; O(log of how far from there). */
export function unitFrom(view: readonly Unit[], seq: Seq, after = 0): number {
	let low = after;
	let stride = 1;
	while ((view[low + stride - 1]?.from ?? seq) < seq) {
		low += stride;
		stride *= 2;
	}
	let high = Math.min(view.length, low + stride - 1);
	while (low < high) {
		const middle = (low + high) >>> 1;
		if ((view[middle]?.from ?? seq) < seq) low = middle + 1;
		else high = middle;
	}
	return low;
}

/**
 * The view as it becomes by laying a sheet over all others, `rows` being the number of rows; undefined where that
 * cannot be told from the view alone. By the patches and what is left, where the whole history may be much longer.
 */
export function laidOver(view: readonly Unit[], { no, patches }: Sheet, rows: number): Unit[] | undefined {
	// Unit by unit: to join slices of a million takes three times as long.
	const laid: Unit[] = [];
	let covered = 0;
	let index = 0;
	function keepUpTo(end: number): void {
		for (; index < end; index++) laid.push(view[index] as Unit);
	}
	for (const { from, to, show } of patches) {
		if (from < covered || to <= from || from >= rows) return undefined;
		keepUpTo(unitFrom(view, from, index));
		if (show) laid.push({ row: show, from, to, sheet: no });
		covered = to;
		index = unitFrom(view, to, index);
	}
	keepUpTo(view.length);
	return laid;
}
