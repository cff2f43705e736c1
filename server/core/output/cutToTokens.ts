import { calibratedTokens } from '../measure/text/textCounter.ts';
import { countLines, utf8Length } from './textSize.ts';
import { truncateOutput } from './truncateOutput.ts';

/** Share of the room that is aimed at first: the notices need some of it. */
const firstAim = 0.95;
const nextAim = 0.85;

/** Tokens of a text, by the estimate that needs no vocabulary. */
export function estimatedTokens(text: string): number {
	return calibratedTokens(text, 'o200k');
}

/** Whether a text has more estimated tokens than that: none has more than UTF-16 units times three. */
export function exceedsTokens(text: string, tokens: number): boolean {
	return text.length * 3 > tokens && estimatedTokens(text) > tokens;
}

/**
 * Shortens an output to so many estimated tokens: both ends stay, and the lines that report failures. The last line says
 * how many lines there are in all, and where the rest can be read.
 */
export function cutToTokens(text: string, tokens: number, where: string): string {
	const way = `[${countLines(text)} lines in all; ${where}]`;
	const bytesPerToken = utf8Length(text) / Math.max(1, estimatedTokens(text));
	const room = Math.max(0, tokens - estimatedTokens(way));
	for (let aim = firstAim; ; aim *= nextAim) {
		const maxBytes = Math.floor(room * aim * bytesPerToken);
		const { content } = truncateOutput(text, {
			maxBytes,
			maxLines: Number.MAX_SAFE_INTEGER,
			direction: 'both',
			strategy: 'failures',
		});
		const cut = `${content.replace(/\n$/, '')}\n${way}`;
		if (estimatedTokens(cut) <= tokens || maxBytes < bytesPerToken) return cut;
	}
}
