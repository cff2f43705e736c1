import { calibratedTokens } from '../measure/text/textCounter.ts';
import { countLines, utf8Length } from './textSize.ts';
import { truncateOutput } from './truncateOutput.ts';

/** Share of the budget to aim at first, because the notices need some of it. */
const initialShare = 0.95;
const shareFactor = 0.85;

/** Tokens of a text by the estimate that needs no vocabulary. */
export function estimateTokens(text: string): number {
	return calibratedTokens(text, 'o200k');
}

/** Whether a text exceeds this many estimated tokens. A UTF-16 unit has at most three. */
export function exceedsTokens(text: string, tokens: number): boolean {
	return text.length * 3 > tokens && estimateTokens(text) > tokens;
}

/**
 * Shortens an output to a number of estimated tokens. Keeps both ends and the lines that report
 * failures; the last line states the total number of lines and where the rest can be read.
 */
export function truncateToTokens(text: string, tokens: number, where: string): string {
	const footer = `[${countLines(text)} lines in all; ${where}]`;
	const bytesPerToken = utf8Length(text) / Math.max(1, estimateTokens(text));
	const budget = Math.max(0, tokens - estimateTokens(footer));
	for (let share = initialShare; ; share *= shareFactor) {
		const maxBytes = Math.floor(budget * share * bytesPerToken);
		const { content } = truncateOutput(text, {
			maxBytes,
			maxLines: Number.MAX_SAFE_INTEGER,
			direction: 'both',
			strategy: 'failures',
		});
		const cut = `${content.replace(/\n$/, '')}\n${footer}`;
		if (estimateTokens(cut) <= tokens || maxBytes < bytesPerToken) return cut;
	}
}
