/** Where rows are seen in the view. */

import { isShownInPlace } from './inPlace.ts';
import type { Seq } from './record.ts';
import type { Unit } from './row.ts';
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

/** Whether each of the rows [from, to) is seen in its own place; O(to - from). */
export function isSeenThrough(state: State, from: Seq, to: Seq): boolean {
	const at = firstUnitFrom(state.view, from);
	for (let seq = from; seq < to; seq++) {
		const unit = state.view[at + seq - from];
		if (!unit || unit.from !== seq || !isShownInPlace(unit, state.rows)) return false;
	}
	return true;
}
