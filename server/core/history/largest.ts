/** The largest visible messages, kept as the history grows. */

import { rowTokens } from '../meter/totals.ts';
import type { Unit } from './row.ts';

/** How many `stats.largest` names. */
const count = 10;

/** Takes a new unit into the list, largest first, if it is among the largest. */
export function keepLargest(largest: Unit[], unit: Unit): void {
	const tokens = rowTokens(unit.row);
	const last = largest[count - 1];
	if (last && rowTokens(last.row) >= tokens) return;
	const index = largest.findIndex((one) => rowTokens(one.row) < tokens);
	largest.splice(index < 0 ? largest.length : index, 0, unit);
	if (largest.length > count) largest.pop();
}

/** The largest of a whole view; O(visible). */
export function largestOf(view: readonly Unit[]): Unit[] {
	const largest: Unit[] = [];
	for (const unit of view) keepLargest(largest, unit);
	return largest;
}
