/** A model's answer that was requested in advance, and is stored until a compaction is due. */

import type { SummaryStyle } from '../core/compact/policy.ts';
import type { CompactedItems } from '../core/compactedItems.ts';
import type { Seq } from '../core/history/record.ts';
import type { SummaryAttempt } from '../protocol/compact.ts';

/** A model's answer, before its claims are checked against the messages. */
export interface ModelAnswer {
	value: string | CompactedItems;
	/** Name of the model. */
	by: string;
	attempts: SummaryAttempt[];
}

export interface PrefetchedSummary extends ModelAnswer {
	/** The rows that the answer describes, ascending; the model did not get later ones. */
	describedSeqs: readonly Seq[];
	headings: SummaryStyle;
}

/** Whether all of `seqs` are among `rows`; both ascending. O(rows). */
function areAllAmong(seqs: readonly Seq[], rows: readonly { seq: Seq }[]): boolean {
	let index = 0;
	return seqs.every((seq) => {
		while ((rows[index]?.seq ?? Number.POSITIVE_INFINITY) < seq) index++;
		return rows[index]?.seq === seq;
	});
}

/**
 * Returns whether a prefetched summary describes all rows to summarize, only the first ones, or none. O(rows).
 *
 * Returns `nothing` if described rows left the history, or if the summary has other headings.
 */
export function measureCoverage(
	{ value, describedSeqs, headings }: PrefetchedSummary,
	task: { rows: readonly { seq: Seq }[]; headings: SummaryStyle },
): 'all' | 'beginning' | 'nothing' {
	if (headings !== task.headings || !areAllAmong(describedSeqs, task.rows)) return 'nothing';
	if (describedSeqs.length === task.rows.length) return 'all';
	// A provider's compacted items can only replace all of the messages that the provider compacted.
	return typeof value === 'string' ? 'beginning' : 'nothing';
}
