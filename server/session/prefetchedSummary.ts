/** A model's answer that waits until a compaction is due. */

import type { SummaryStyle } from '../core/compact/policy.ts';
import type { CompactedItems } from '../core/compactedItems.ts';
import type { Seq } from '../core/history/record.ts';
import type { SummaryAttempt } from '../protocol/compact.ts';

/** What a model answered, before its claims are checked against the messages. */
export interface ModelAnswer {
	value: string | CompactedItems;
	/** Name of the model. */
	by: string;
	attempts: SummaryAttempt[];
}

export interface PrefetchedSummary extends ModelAnswer {
	/** Rows that the model was given, ascending. What came after them is not described. */
	seqs: readonly Seq[];
	headings: SummaryStyle;
}

/** Whether every one of these rows is among the others; both ascending. O(rows). */
function areAmong(seqs: readonly Seq[], rows: readonly { seq: Seq }[]): boolean {
	let index = 0;
	return seqs.every((seq) => {
		while ((rows[index]?.seq ?? Number.POSITIVE_INFINITY) < seq) index++;
		return rows[index]?.seq === seq;
	});
}

/**
 * How much of the rows that a summary will replace a prefetched one describes: `all` of them, the `beginning`, or
 * `nothing`: rows that it describes left the history, or it has other headings. O(rows).
 */
export function coverageOf(
	{ value, seqs, headings }: PrefetchedSummary,
	task: { rows: readonly { seq: Seq }[]; headings: SummaryStyle },
): 'all' | 'beginning' | 'nothing' {
	if (headings !== task.headings || !areAmong(seqs, task.rows)) return 'nothing';
	if (seqs.length === task.rows.length) return 'all';
	// Items of a provider can only replace exactly the messages that they were made from.
	return typeof value === 'string' ? 'beginning' : 'nothing';
}
