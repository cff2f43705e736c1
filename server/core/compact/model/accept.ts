/** Whether a model's answer may stand in the place of what it summarizes. */

import type { SummarizeResult } from '../../../protocol/push.ts';
import type { SummaryHeadings } from '../../../protocol/settings.ts';
import { titlesOf } from '../summary/headings.ts';

export type ModelAnswer = Pick<SummarizeResult, 'text' | 'stopReason'>;

/** The words by which providers say that an answer came to its own end. */
const normalStops: ReadonlySet<string> = new Set([
	'stop',
	'end_turn',
	'stop_sequence',
	'completed',
	'complete',
	'end',
]);

/** Why an answer is refused; null where it may stand. `tokens` is its size, `most` what it may have. */
export function refusalOf(
	answer: ModelAnswer,
	tokens: number,
	most: number,
	headings: SummaryHeadings = 'neurolink',
): string | null {
	if (!normalStops.has(answer.stopReason.toLowerCase()))
		return `INVALID_SUMMARY: it ended with "${answer.stopReason}"`;
	if (answer.text.trim() === '') return 'INVALID_SUMMARY: it is empty';
	const missing = missingHeading(answer.text, titlesOf(headings));
	if (missing) return `INVALID_SUMMARY: the heading "${missing}" is missing or out of order`;
	if (tokens > most) {
		const ratio = (tokens / Math.max(1, most)).toFixed(2);
		return `CONTEXT_GROWTH: it has ${tokens} tokens, ${most} are allowed (${ratio} times as many)`;
	}
	return null;
}

function missingHeading(text: string, titles: readonly string[]): string | undefined {
	let from = 0;
	return titles.find((title) => {
		const index = text.indexOf(title, from);
		if (index >= 0) from = index + title.length;
		return index < 0;
	});
}

/**
 * A model's summary with the record that code keeps under it: what no model has to remember. The record's own
 * headings step back behind the summary's.
 */
export function withRecord(summary: string, record: string): string {
	if (record === '') return summary.trim();
	return `${summary.trim()}\n\n---\nRecord, in the conversation's own words:\n${record.replace(/^## /gm, '### ')}`;
}
