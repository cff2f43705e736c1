import type { OutdatedReason } from '../../protocol/compaction.ts';
import type { Seq } from '../history/record.ts';
import type { Counts } from '../measure/measure.ts';

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
