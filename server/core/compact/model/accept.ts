/** Whether a model's answer may stand in the place of what it summarizes. */

import type { StageFailure } from '../../../protocol/compact.ts';
import type { SummarizeResult } from '../../../protocol/push.ts';
import type { SummaryStyle } from '../policy.ts';
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

/** What an answer must be to stand. */
export interface Expected {
	/** Tokens that it has. */
	tokens: number;
	/** Tokens that it may have. */
	most: number;
	/** Tokens of what it is to stand for. */
	tokensBefore?: number;
	/** The headings that it must have; `plain` if absent. */
	headings?: SummaryStyle;
}

/** Whether a model said all that it had to say. */
export function endedByItself({ stopReason }: Pick<ModelAnswer, 'stopReason'>): boolean {
	return normalStops.has(stopReason.toLowerCase());
}

/** Why an answer is refused; null where it may stand. */
export function refusalOf(answer: ModelAnswer, expected: Expected): StageFailure | null {
	const { tokens, most, tokensBefore, headings = 'plain' } = expected;
	const sizes = { ...(tokensBefore !== undefined && { tokensBefore }), tokensAfter: tokens };
	const invalid = (message: string): StageFailure => ({
		code: 'INVALID_SUMMARY',
		message,
		retryable: true,
		...sizes,
	});
	if (!endedByItself(answer)) return invalid(`it ended with "${answer.stopReason}"`);
	if (answer.text.trim() === '') return invalid('it is empty');
	const missing = missingHeading(answer.text, titlesOf(styleOfAnswer(answer.text, headings)));
	if (missing) return invalid(`the heading "${missing}" is missing or out of order`);
	if (tokens <= most) return null;
	const ratio = (tokens / Math.max(1, most)).toFixed(2);
	const message = `it has ${tokens} tokens, ${most} are allowed (${ratio} times as many)`;
	return { code: 'CONTEXT_GROWTH', message, retryable: true, ...sizes };
}

/** Returns the headings that an answer has: in place of plain titles NeuroLink's are accepted, too. */
export function styleOfAnswer(text: string, style: SummaryStyle): SummaryStyle {
	const isNeurolink = style === 'plain' && missingHeading(text, titlesOf('neurolink')) === undefined;
	return isNeurolink ? 'neurolink' : style;
}

function missingHeading(text: string, titles: readonly string[]): string | undefined {
	let from = 0;
	return titles.find((title) => {
		const index = text.indexOf(title, from);
		if (index >= 0) from = index + title.length;
		return index < 0;
	});
}

/** What stands between a model's words and the record. */
const recordLine = "\n\n---\nRecord, in the conversation's own words:\n";

/**
 * A model's summary with the record that code keeps under it: what no model has to remember. The record's own
 * headings step back behind the summary's; where the model says nothing, the record is the summary.
 */
export function withRecord(summary: string, record: string): string {
	if (record === '' || summary.trim() === '') return summary.trim() || record;
	return `${summary.trim()}${recordLine}${record.replace(/^## /gm, '### ')}`;
}

/** The model's own words of a summary with its record; undefined where no model wrote it. */
export function modelWordsOf(text: string): string | undefined {
	const end = text.indexOf(recordLine);
	return end < 0 ? undefined : text.slice(0, end);
}
