/** Counting the rows of a history anew, part by part; what each comes to is summed up with it, not all at the end. */

import type { Counts } from '../measure/measure.ts';
import { addVisible } from '../meter/totals.ts';
import { keepLargest } from './largest.ts';
import type { Seq } from './record.ts';
import type { Row, Unit } from './row.ts';
import { type Recounted, recountOf, type State } from './state.ts';
import { paintView, sheetsInForce, unitFrom } from './view.ts';

/**
 * Gives some rows other counts; gives whether all rows before `from` were counted anew: not where a part of the recount
 * is lost. Rows with other counts are other rows: whoever works on a copy of the state keeps those that it has.
 */
export function countAnew(state: State, from: Seq, counted: readonly Counts[]): boolean {
	if (from === 0) state.recounted = recountOf(state.view);
	const { recounted } = state;
	if (from !== recounted.rows) return false;
	for (const [index, counts] of counted.entries()) {
		const seq = from + index;
		const row = state.rows[seq];
		const unit = state.units[seq];
		if (!row || !unit) continue;
		const other: Row = { ...row, counts };
		state.rows[seq] = other;
		state.units[seq] = { ...unit, row: other };
	}
	recounted.rows = from + counted.length;
	addSeen(state, from);
	return true;
}

/** Adds those rows from one on that are counted anew and visible themselves. */
function addSeen({ units, recounted }: State, from: Seq): void {
	const { view, rows } = recounted;
	for (let index = unitFrom(view, from); index < view.length; index++) {
		const seen = view[index];
		if (seen === undefined || seen.from >= rows) return;
		const unit = seen.sheet === 0 ? units[seen.from] : undefined;
		if (unit) add(recounted, unit);
	}
}

function add({ totals, largest }: Pick<Recounted, 'totals' | 'largest'>, unit: Unit): void {
	addVisible(totals, unit.row, -1);
	keepLargest(largest, unit);
}

/**
 * Ends a recount: the view with the new counts and its sums, without a figure of a provider's. By what sheets show and
 * what was appended since; what was summed up part by part is not walked over again.
 */
export function sumUp(state: State): void {
	const { recounted } = state;
	const view = paintView(state);
	for (const { patches } of sheetsInForce(state)) {
		for (const { from, show } of patches) {
			if (show === undefined || from >= recounted.rows) continue;
			const unit = view[unitFrom(view, from)];
			if (unit?.row === show) add(recounted, unit);
		}
	}
	for (let index = unitFrom(view, recounted.rows); index < view.length; index++) {
		const unit = view[index];
		if (unit) add(recounted, unit);
	}
	state.view = view;
	state.totals = recounted.totals;
	state.largest = recounted.largest;
}
