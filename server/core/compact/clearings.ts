import type { OutdatedReason } from '../../protocol/compaction.ts';
import type { Seq } from '../history/record.ts';

/** How to clear an outdated result. */
export interface Clearing {
	reason: OutdatedReason;
	/** The text that replaces the result. */
	note: string;
}

/** The results to clear, by row, and why there may be none. */
export interface Clearings {
	results: ReadonlyMap<Seq, Clearing>;
	/** The reason to report if no result can be cleared. */
	emptyReason: string;
}
