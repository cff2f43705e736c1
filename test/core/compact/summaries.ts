/** Builds summaries of plain sources, and reads them. */

import { createFactIndex } from '../../../server/core/analysis/message/factIndex.ts';
import type { Source } from '../../../server/core/analysis/message/source.ts';
import { findSectionTitle, listTitles, type Section } from '../../../server/core/compact/summary/headings.ts';
import type { SummaryOptions } from '../../../server/core/compact/summary/summary.ts';
import type { ToolCall } from '../../../server/protocol/conversation.ts';
import { extractSummary } from '../../support/extractSummary.ts';
import { assistant, call, count, result, user } from './facts-sources.ts';

/** Headings of a summary, in order. */
export const plainHeadings = listTitles('plain').map((title) => `## ${title}`);

/** Returns a summary with this token budget. */
export function summaryOf(
	sources: readonly Source[],
	budgetTokens = 2000,
	more: Partial<SummaryOptions> = {},
): string {
	return extractSummary(createFactIndex(), sources, { budgetTokens, count, ...more }).text;
}

/** Returns the lines before the first section of a summary. */
export function headOf(...sources: Source[]): string[] {
	const [head = ''] = summaryOf(sources, 3000).split('\n\n## ');
	return head.startsWith('## ') ? [] : head.split('\n');
}

/** Splits a text into lines like a model does, at every kind of line end. */
export function readLines(text: string): string[] {
	// biome-ignore lint/suspicious/noControlCharactersInRegex: some readers end lines at these characters
	return text.split(/\r\n?|[\n\v\f\x1c-\x1f\u0085\u2028\u2029]/);
}

/** Returns the lines that are headings, of any level and indentation. */
export function headingsIn(text: string): string[] {
	return readLines(text).filter((line) => /^\s*#{1,6}(?:\s|$)/.test(line));
}

/** Returns the lines under the heading of a section; empty if the section is missing. */
export function sectionIn(text: string, section: Section): string {
	const [, behind = ''] = text.split(`## ${findSectionTitle('plain', section)}\n`);
	return behind.split(/\n\n(?=## |#N )/)[0] ?? '';
}

/** Returns a summary of a question, a call with its output, and an answer, in 3000 tokens. */
export function summaryOfCall(question: string, made: ToolCall, output: string, answer: string): string {
	return summaryOf(
		[user(0, question), assistant(1, '', made), result(2, made, output), assistant(3, answer)],
		3000,
	);
}

/** Returns a session of calls, each with its result and whether it failed. */
export function sessionOfCalls(...made: [call: ToolCall, output: string, failed?: boolean][]): Source[] {
	return [
		user(1, 'Make it pass.'),
		...made.flatMap(([one, output, failed], index) => [
			assistant(2 + 2 * index, '', one),
			result(3 + 2 * index, one, output, failed),
		]),
	];
}

/** Returns a session of commands, each with its output and whether it failed. */
export function ran(...runs: [command: string, output: string, failed?: boolean][]): Source[] {
	return sessionOfCalls(
		...runs.map(([command, output, failed]): [ToolCall, string, boolean?] => [
			call('Bash', { command }),
			output,
			failed,
		]),
	);
}
