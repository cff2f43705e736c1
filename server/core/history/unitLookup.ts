/** Finds rows in the view. */

import type { Seq } from './record.ts';
import type { Row, Unit } from './row.ts';
import type { State } from './state.ts';

/** Returns the index of the first unit, from index `after` on, that starts at row `seq` or later. O(log distance). */
export function findFirstUnitFrom(view: readonly Unit[], seq: Seq, after = 0): number {
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

/** Returns the unit that shows a row itself, whole or shortened; undefined if the row is hidden. O(log visible). */
export function findUnit(state: State, seq: Seq): Unit | undefined {
	for (let index = findFirstUnitFrom(state.view, seq); state.view[index]?.from === seq; index++) {
		const unit = state.view[index];
		if (unit?.row.id === state.rows[seq]?.id) return unit;
	}
	return undefined;
}

/** Whether each of the rows [from, to) is shown by its own unit, whole or shortened. O(to - from). */
export function areAllShownInPlace(state: State, from: Seq, to: Seq): boolean {
	const index = findFirstUnitFrom(state.view, from);
	for (let seq = from; seq < to; seq++) {
		const unit = state.view[index + seq - from];
		if (!unit || unit.from !== seq || !isShownInPlace(unit, state.rows)) return false;
	}
	return true;
}

/** Whether a patch only shortens one row. */
export function isInPlace(
	patch: { from: Seq; to: Seq; show?: { id: string } },
	rows: readonly Row[],
): boolean {
	return patch.to - patch.from === 1 && patch.show !== undefined && patch.show.id === rows[patch.from]?.id;
}

/** Whether a unit is a single row, original or shortened, and not a summary or marker. */
export function isShownInPlace(unit: Unit, rows: readonly Row[]): boolean {
	return isInPlace({ from: unit.from, to: unit.to, show: unit.row }, rows);
}
