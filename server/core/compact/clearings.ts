/** Types for clearing outdated tool results. */

import type { OutdatedReason } from '../../protocol/compaction.ts';
import type { Seq } from '../history/record.ts';
import type { Unit } from '../history/row.ts';
import type { Counts } from '../measure/measure.ts';
import type { Meter } from '../meter/meter.ts';
import { weighRow } from '../meter/reading.ts';
import { countRowTokens } from '../meter/totals.ts';

/** How to clear an outdated result. */
export interface Clearing {
	reason: OutdatedReason;
	/** The text that replaces the result. */
	note: string;
	/** The raw tokens of the note. */
	counts: Counts;
}

/** Outdated results to clear, by row. */
export interface Clearings {
	results: ReadonlyMap<Seq, Clearing>;
	/** The reason to report if no result can be cleared. */
	emptyReason: string;
	/** Warnings about selected files and commands without visible results. */
	warnings: string[];
}

/**
 * Returns the tokens that replacing a result saves, on the meter's scale; 0 if the replacement is not shorter. The raw
 * counts must shrink too, as in `shortenItem`.
 */
export function computeTokensSavedByNote(meter: Meter, { row, from }: Unit, counts: Counts): number {
	const note = { seq: from, role: row.role, counts, made: 'deduplicated' };
	if (!row.exact && countRowTokens(note) >= countRowTokens(row)) return 0;
	return Math.max(0, weighRow(meter, row) - weighRow(meter, note));
}
