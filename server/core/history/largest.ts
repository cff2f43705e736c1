/** Keeps the list of the largest visible messages as the history grows. */

import { countRowTokens } from '../meter/totals.ts';
import type { Unit } from './row.ts';

/** Maximum number of messages in `stats.largest`. */
const maxLargestUnits = 10;

/** Inserts a unit into the list, largest first, if it is among the largest. */
export function insertLargest(largest: Unit[], unit: Unit): void {
	const tokens = countRowTokens(unit.row);
	const last = largest[maxLargestUnits - 1];
	if (last && countRowTokens(last.row) >= tokens) return;
	const index = largest.findIndex((one) => countRowTokens(one.row) < tokens);
	largest.splice(index < 0 ? largest.length : index, 0, unit);
	if (largest.length > maxLargestUnits) largest.pop();
}

/** Returns the largest units of a whole view, largest first. O(visible). */
export function findLargest(view: readonly Unit[]): Unit[] {
	const largest: Unit[] = [];
	for (const unit of view) insertLargest(largest, unit);
	return largest;
}
