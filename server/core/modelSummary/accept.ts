/** Decides whether a model's answer is acceptable as a summary. */

import type { StageFailure } from '../../protocol/compact.ts';
import type { SummarizeResult } from '../../protocol/push.ts';
import type { SummaryStyle } from '../compact/policy.ts';
import { listTitles } from '../compact/summary/headings.ts';

export type SummaryReply = Pick<SummarizeResult, 'text' | 'stopReason'>;

/** Stop reasons of providers for a complete answer. */
const completeStopReasons: ReadonlySet<string> = new Set([
	'stop',
	'end_turn',
	'stop_sequence',
	'completed',
	'complete',
	'end',
]);

/** Size of an answer, and the requirements that it must meet. */
export interface AnswerLimits {
	/** Tokens of the answer. */
	tokens: number;
	/** Tokens that the answer may have. */
	maxTokens: number;
	/** Tokens of the messages that the summary replaces. */
	tokensBefore?: number;
	/** Style of the headings that the answer must have; by default `plain`. */
	headings?: SummaryStyle;
}

/** Whether a model finished its answer. */
export function isComplete({ stopReason }: Pick<SummaryReply, 'stopReason'>): boolean {
	return completeStopReasons.has(stopReason.toLowerCase());
}

/** Returns why an answer is refused; null if it is acceptable. */
export function findRefusal(answer: SummaryReply, limits: AnswerLimits): StageFailure | null {
	const { tokens, maxTokens, tokensBefore, headings = 'plain' } = limits;
	const sizes = { ...(tokensBefore !== undefined && { tokensBefore }), tokensAfter: tokens };
	const createFailure = (message: string): StageFailure => ({
		code: 'INVALID_SUMMARY',
		message,
		retryable: true,
		...sizes,
	});
	if (!isComplete(answer)) return createFailure(`the answer ended with "${answer.stopReason}"`);
	if (answer.text.trim() === '') return createFailure('the answer is empty');
	const heading = findMissingHeading(answer.text, listTitles(detectStyle(answer.text, headings)));
	if (heading) return createFailure(`the heading "${heading}" is missing or out of order`);
	if (tokens <= maxTokens) return null;
	const ratio = (tokens / Math.max(1, maxTokens)).toFixed(2);
	const growth = `the answer has ${tokens} tokens, ${maxTokens} are allowed (${ratio} times as many)`;
	return { code: 'CONTEXT_GROWTH', message: growth, retryable: true, ...sizes };
}

/** Returns the style of an answer's headings: the requested `style`, or `neurolink` if they replace the plain ones. */
export function detectStyle(text: string, style: SummaryStyle): SummaryStyle {
	const isNeurolink = style === 'plain' && findMissingHeading(text, listTitles('neurolink')) === undefined;
	return isNeurolink ? 'neurolink' : style;
}

function findMissingHeading(text: string, titles: readonly string[]): string | undefined {
	let from = 0;
	return titles.find((title) => {
		const index = text.indexOf(title, from);
		if (index >= 0) from = index + title.length;
		return index < 0;
	});
}

/** Separates a model's summary from the record: the extract of the conversation that contextd appends to it. */
const recordSeparator = "\n\n---\nRecord, in the conversation's own words:\n";

/** Appends the record to a model's summary, and lowers the record's headings by one level. Either may be empty. */
export function appendRecord(summary: string, record: string): string {
	if (record === '' || summary.trim() === '') return summary.trim() || record;
	return `${summary.trim()}${recordSeparator}${record.replace(/^## /gm, '### ')}`;
}

/** Returns a model's summary without the appended record; undefined if no model wrote the summary. */
export function extractModelText(text: string): string | undefined {
	const end = text.indexOf(recordSeparator);
	return end < 0 ? undefined : text.slice(0, end);
}
