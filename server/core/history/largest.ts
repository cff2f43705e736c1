/** The largest visible messages, maintained as the history grows. */

import { rowTokens } from '../meter/totals.ts';
import type { Unit } from './row.ts';

/** Entries of `stats.largest`. */
const maxEntries = 10;

/** Inserts a unit into the list, largest first, if it is among the largest. */
export function insertLargest(largest: Unit[], unit: Unit): void {
	const tokens = rowTokens(unit.row);
	const last = largest[maxEntries - 1];
	if (last && rowTokens(last.row) >= tokens) return;
	const index = largest.findIndex((one) => rowTokens(one.row) < tokens);
	largest.splice(index < 0 ? largest.length : index, 0, unit);
	if (largest.length > maxEntries) largest.pop();
}

/** The largest units of a whole view, largest first; O(visible). */
export function findLargest(view: readonly Unit[]): Unit[] {
	const largest: Unit[] = [];
	for (const unit of view) insertLargest(largest, unit);
	return largest;
}
