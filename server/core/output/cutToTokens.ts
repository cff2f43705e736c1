import { calibratedTokens } from '../measure/text/textCounter.ts';
import { utf8Length } from './textSize.ts';
import { truncateOutput } from './truncateOutput.ts';

/** Share of the room that is aimed at first: the notices need some of it. */
const firstAim = 0.95;
const nextAim = 0.85;

/** Tokens of a text, by the estimate that needs no vocabulary. */
export function estimatedTokens(text: string): number {
	return calibratedTokens(text, 'o200k');
}

/**
 * An output within so many estimated tokens: both ends stay, and the lines that tell of failures.
 * @param way the last line: where the rest can be read
 */
export function cutToTokens(text: string, tokens: number, way: string): string {
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
