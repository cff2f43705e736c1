/** Recounts the rows of a history in parts, and adds each part to the totals. */

import type { Counts } from '../measure/measure.ts';
import { addVisibleRow, insertIfLargest } from '../meter/totals.ts';
import type { Seq } from './record.ts';
import type { Row, Unit } from './row.ts';
import { type RecountProgress, type State, startRecount } from './state.ts';
import { findFirstUnitFrom } from './unitLookup.ts';
import { composeView, listActiveLayers } from './view.ts';

/**
 * Replaces the counts of some rows. Returns whether all rows before `from` were recounted too; false
 * if a part of the recount is missing.
 *
 * Creates new row objects, so that a copy of the state is not changed.
 */
export function recountRows(state: State, from: Seq, newCounts: readonly Counts[]): boolean {
	if (from === 0) state.recountProgress = startRecount(state.view);
	const { recountProgress } = state;
	if (from !== recountProgress.rowCount) return false;
	for (const [index, counts] of newCounts.entries()) {
		const seq = from + index;
		const row = state.rows[seq];
		const unit = state.units[seq];
		if (!row || !unit) continue;
		const other: Row = { ...row, counts };
		state.rows[seq] = other;
		state.units[seq] = { ...unit, row: other };
	}
	recountProgress.rowCount = from + newCounts.length;
	addVisibleFrom(state, from);
	return true;
}

/** Adds the recounted rows from `from` on to the totals, unless layers hide or replace them. */
function addVisibleFrom({ units, recountProgress }: State, from: Seq): void {
	const { view, rowCount } = recountProgress;
	for (let index = findFirstUnitFrom(view, from); index < view.length; index++) {
		const visibleUnit = view[index];
		if (visibleUnit === undefined || visibleUnit.from >= rowCount) return;
		const unit = visibleUnit.layer === 0 ? units[visibleUnit.from] : undefined;
		if (unit) addUnit(recountProgress, unit);
	}
}

function addUnit({ totals, largest }: Pick<RecountProgress, 'totals' | 'largest'>, unit: Unit): void {
	addVisibleRow(totals, unit.row, -1);
	insertIfLargest(largest, unit);
}

/**
 * Finishes a recount: sets the view with the new counts, and its totals.
 *
 * Visits only the rows that layers show and the rows appended since the recount began; the totals already include all
 * others.
 */
export function finishRecount(state: State): void {
	const { recountProgress } = state;
	const view = composeView(state);
	for (const { patches } of listActiveLayers(state)) {
		for (const { from, show } of patches) {
			if (show === undefined || from >= recountProgress.rowCount) continue;
			const unit = view[findFirstUnitFrom(view, from)];
			if (unit?.row === show) addUnit(recountProgress, unit);
		}
	}
	for (let index = findFirstUnitFrom(view, recountProgress.rowCount); index < view.length; index++) {
		const unit = view[index];
		if (unit) addUnit(recountProgress, unit);
	}
	state.view = view;
	state.totals = recountProgress.totals;
	state.largest = recountProgress.largest;
}
