/** Changes of one message in its own place, as against those that put something else there for several. */

import type { Seq } from './record.ts';
import type { Row, Unit } from './row.ts';

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
