/** Where rows are seen in the view. */

import type { Seq } from './record.ts';
import type { Row, Unit } from './row.ts';
import type { State } from './state.ts';

/** Position of the first unit that starts at a row or behind it, by bisection. */
export function firstUnitFrom(view: readonly Unit[], seq: Seq): number {
	let low = 0;
	let high = view.length;
	while (low < high) {
		const middle = (low + high) >> 1;
		if ((view[middle]?.from ?? 0) < seq) low = middle + 1;
		else high = middle;
	}
	return low;
}

/** The unit that shows a row itself, whole or shortened; O(log visible). */
export function unitShowing(state: State, seq: Seq): Unit | undefined {
	for (let index = firstUnitFrom(state.view, seq); state.view[index]?.from === seq; index++) {
		const unit = state.view[index];
		if (unit?.row.id === state.rows[seq]?.id) return unit;
	}
	return undefined;
}

/** Whether each of the rows [from, to) is seen in its own place; O(to - from). */
export function isSeenThrough(state: State, from: Seq, to: Seq): boolean {
	const index = firstUnitFrom(state.view, from);
	for (let seq = from; seq < to; seq++) {
		const unit = state.view[index + seq - from];
		if (!unit || unit.from !== seq || !isShownInPlace(unit, state.rows)) return false;
	}
	return true;
}

/** Whether a patch only changes the look of one row. */
export function isInPlace(
	patch: { from: Seq; to: Seq; show?: { id: string } },
	rows: readonly Row[],
): boolean {
	return patch.to - patch.from === 1 && patch.show !== undefined && patch.show.id === rows[patch.from]?.id;
}

/** Whether a unit is a row of its own, as it is or shortened, not a summary or marker for others. */
export function isShownInPlace(unit: Unit, rows: readonly Row[]): boolean {
	return isInPlace({ from: unit.from, to: unit.to, show: unit.row }, rows);
}
