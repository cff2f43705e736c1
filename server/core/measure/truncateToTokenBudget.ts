import type { TruncateToTokenBudgetResult } from '../../protocol/stats.ts';
import { graphemeBoundary, sentenceBoundary, wordBoundary } from './text/boundaries.ts';
import type { CountText } from './text/sampled.ts';

/** What stands in the place of the end that was cut off. */
const ellipsis = '...';
/** The search for the longest part that fits ends when it is known to this share. */
const precision = 1 / 256;
/** A part that turns out too long after the cut loses this share, as often as it takes. */
const shrink = 0.9;

/**
 * The beginning of a text that takes `maxTokens` tokens at most, the "..." at its end included. It ends
 * with a sentence where one ends in the last third of what fits, otherwise with a word where one ends in
 * the last fifth, otherwise between two graphemes. A text within the budget comes back as it is; a budget
 * that has no room even for the "..." gives the empty text.
 *
 * Counts about ten times, on texts that come closer and closer to the result.
 * Throws a RangeError when `maxTokens` is not a number.
 */
export function truncateToTokenBudget(
	text: string,
	maxTokens: number,
	count: CountText,
): TruncateToTokenBudgetResult {
	if (Number.isNaN(maxTokens)) throw new RangeError('maxTokens: expected a number of tokens, got NaN.');
	if (maxTokens <= 0) return { text: '', truncated: text !== '', tokens: 0 };
	const tokens = count(text);
	if (tokens <= maxTokens) return { text, truncated: false, tokens };

	const countWithEllipsis = (length: number) => count(withEllipsis(text, length));
	const ellipsisTokens = count(ellipsis);
	if (ellipsisTokens > maxTokens) return { text: '', truncated: true, tokens: 0 };
	const ends = { fitting: 0, fittingTokens: ellipsisTokens, exceeding: text.length, exceedingTokens: tokens };
	for (
		let fits = longestFit(ends, maxTokens, countWithEllipsis);
		fits > 0;
		fits = Math.floor(fits * shrink)
	) {
		const length = cutBefore(text, fits);
		const cutTokens = countWithEllipsis(length);
		if (cutTokens <= maxTokens) {
			return { text: withEllipsis(text, length), truncated: true, tokens: cutTokens };
		}
	}
	return { text: ellipsis, truncated: true, tokens: ellipsisTokens };
}

function withEllipsis(text: string, length: number): string {
	return text.slice(0, length).trimEnd() + ellipsis;
}

/** Lengths (UTF-16 units) of a part that fits and of one that does not, with the tokens of both. */
interface Bracket {
	fitting: number;
	fittingTokens: number;
	exceeding: number;
	exceedingTokens: number;
}

/**
 * About the greatest length (UTF-16 units) that fits the budget. Tokens come nearly evenly over a text, so
 * a straight line through what is known leads there in few steps; every other step halves instead, for the
 * texts in which they do not.
 */
function longestFit(ends: Bracket, maxTokens: number, tokensOf: (length: number) => number): number {
	const bracket = { ...ends };
	for (let step = 0; bracket.exceeding - bracket.fitting > 1 + bracket.fitting * precision; step++) {
		const length = step % 2 === 0 ? interpolated(bracket, maxTokens) : midpoint(bracket);
		const tokens = tokensOf(length);
		if (tokens <= maxTokens) {
			bracket.fitting = length;
			bracket.fittingTokens = tokens;
		} else {
			bracket.exceeding = length;
			bracket.exceedingTokens = tokens;
		}
	}
	return bracket.fitting;
}

function midpoint({ fitting, exceeding }: Bracket): number {
	return Math.floor((fitting + exceeding) / 2);
}

/** Where the budget lies on the line between the two ends, a little before it, and between them anyway. */
function interpolated(bracket: Bracket, maxTokens: number): number {
	const { fitting, fittingTokens, exceeding, exceedingTokens } = bracket;
	const span = exceeding - fitting;
	const share = (maxTokens - fittingTokens) / (exceedingTokens - fittingTokens);
	const offset = Math.floor(span * share * (1 - precision / 2));
	return fitting + Math.min(span - 1, Math.max(1, offset));
}

function cutBefore(text: string, length: number): number {
	return (
		sentenceBoundary(text, Math.floor((length * 2) / 3), length) ??
		wordBoundary(text, Math.floor((length * 4) / 5), length) ??
		graphemeBoundary(text, length)
	);
}
