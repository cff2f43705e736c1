import type { TruncateToTokenBudgetResult } from '../../protocol/measuring.ts';
import type { TokenCounter } from '../measure/text/sampleText.ts';
import { countLines, isHighSurrogate } from '../output/textSize.ts';

/** Counts tokens and truncates texts. */
export interface TokenMeasure {
	count: TokenCounter;
	/** Returns the longest prefix of a text within a number of tokens. */
	truncate: (text: string, maxTokens: number, count: TokenCounter) => TruncateToTokenBudgetResult;
}

/** The start of a text, cut to fit a token budget. */
export interface LineCut {
	text: string;
	tokens: number;
	/** Number of lines, including an incomplete last one. */
	lineCount: number;
	/** Whether the last line is incomplete, because it alone exceeds the budget. */
	isPartial: boolean;
}

/**
 * Returns the start of a text within `maxTokens`, cut at the end of a line. Cuts inside the first line if
 * that line alone does not fit.
 */
export function cutAtLine(text: string, maxTokens: number, measure: TokenMeasure): LineCut {
	const budget = Math.max(0, maxTokens);
	const fittingStart = findCommonStart(text, measure.truncate(text, budget, measure.count).text);
	const endsLine = fittingStart.length === text.length || text[fittingStart.length] === '\n';
	let content = endsLine ? text.slice(0, fittingStart.length + 1) : truncateToLineEnd(fittingStart);
	let tokens = measure.count(content);
	while (content !== '' && tokens > budget) {
		content = truncateToLineEnd(content.slice(0, -1));
		tokens = measure.count(content);
	}
	if (content !== '') return { text: content, tokens, lineCount: countLines(content), isPartial: false };
	const lineCount = fittingStart === '' ? 0 : 1;
	return { text: fittingStart, tokens: measure.count(fittingStart), lineCount, isPartial: lineCount > 0 };
}

function truncateToLineEnd(text: string): string {
	return text.slice(0, text.lastIndexOf('\n') + 1);
}

/** Returns the common start of `text` and `other`. A truncation may add a mark to `other`, such as an ellipsis. */
function findCommonStart(text: string, other: string): string {
	if (text.startsWith(other)) return other;
	let length = 0;
	while (length < other.length && other.charCodeAt(length) === text.charCodeAt(length)) length += 1;
	const splitsPair = length > 0 && isHighSurrogate(other.charCodeAt(length - 1));
	return other.slice(0, splitsPair ? length - 1 : length);
}
