/** Describes the tool results that are cleared because they are outdated. */

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
	/** The text that replaces the result, and its raw tokens. */
	note: string;
	counts: Counts;
}

/** The results to clear, by row, and why there may be none. */
export interface Clearings {
	results: ReadonlyMap<Seq, Clearing>;
	/** The reason to report if no result can be cleared. */
	emptyReason: string;
	/** Sentences about files and commands without visible results. */
	warnings: string[];
}

/**
 * Returns the tokens, on the meter's scale, that a replacement of a result saves; 0 if the replacement is no shorter. The
 * raw counts must shrink too, as in `shortenItem`.
 */
export function computeTokensSavedByNote(meter: Meter, { row, from }: Unit, counts: Counts): number {
	const note = { seq: from, role: row.role, counts, made: 'deduplicated' };
	if (!row.exact && countRowTokens(note) >= countRowTokens(row)) return 0;
	return Math.max(0, weighRow(meter, row) - weighRow(meter, note));
}
