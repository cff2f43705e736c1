import type { TruncateToTokenBudgetResult } from '../../protocol/measuring.ts';
import { findGraphemeBoundary, findSentenceEnd, findWordEnd } from './text/boundaries.ts';
import type { TokenCounter } from './text/sampleText.ts';

/** Replaces the end that was cut off. */
const ellipsis = '...';
/** The search for the longest fitting part stops at this relative precision. */
const relativePrecision = 1 / 256;
/** Factor by which a part is shortened, repeatedly, if it is too long after the cut. */
const shrinkFactor = 0.9;

/**
 * Returns the longest prefix of a text that takes at most `maxTokens` tokens, including the "..." at its end.
 *
 * The result ends with a sentence if one ends in the last third of what fits, else with a word if one ends in the
 * last fifth, else between two graphemes. A text within the budget is returned unchanged. If not even "..." fits, the
 * result is empty.
 *
 * Calls `count` about ten times, with texts ever closer to the result in length. Throws a RangeError if `maxTokens` is NaN.
 */
export function truncateToTokenBudget(
	text: string,
	maxTokens: number,
	count: TokenCounter,
): TruncateToTokenBudgetResult {
	if (Number.isNaN(maxTokens)) throw new RangeError('maxTokens: expected a number of tokens, got NaN.');
	if (maxTokens <= 0) return { text: '', truncated: text !== '', tokens: 0 };
	const tokens = count(text);
	if (tokens <= maxTokens) return { text, truncated: false, tokens };

	const countWithEllipsis = (length: number) => count(cutWithEllipsis(text, length));
	const ellipsisTokens = count(ellipsis);
	if (ellipsisTokens > maxTokens) return { text: '', truncated: true, tokens: 0 };
	const ends = {
		fittingLength: 0,
		fittingTokens: ellipsisTokens,
		exceedingLength: text.length,
		exceedingTokens: tokens,
	};
	for (
		let fittingLength = findLongestFit(ends, maxTokens, countWithEllipsis);
		fittingLength > 0;
		fittingLength = Math.floor(fittingLength * shrinkFactor)
	) {
		const length = findBoundaryBefore(text, fittingLength);
		const cutTokens = countWithEllipsis(length);
		if (cutTokens <= maxTokens)
			return { text: cutWithEllipsis(text, length), truncated: true, tokens: cutTokens };
	}
	return { text: ellipsis, truncated: true, tokens: ellipsisTokens };
}

function cutWithEllipsis(text: string, length: number): string {
	return text.slice(0, length).trimEnd() + ellipsis;
}

/** The length (UTF-16 units) of a part that fits, the length of a part that does not, and the tokens of both. */
interface LengthBracket {
	fittingLength: number;
	fittingTokens: number;
	exceedingLength: number;
	exceedingTokens: number;
}

/**
 * Returns approximately the greatest length (UTF-16 units) that fits the budget. Tokens are spread almost evenly over
 * a text, so linear interpolation converges in few steps. Every other step bisects instead, for texts with unevenly
 * spread tokens.
 */
function findLongestFit(ends: LengthBracket, maxTokens: number, countAt: (length: number) => number): number {
	const bracket = { ...ends };
	for (
		let step = 0;
		bracket.exceedingLength - bracket.fittingLength > 1 + bracket.fittingLength * relativePrecision;
		step++
	) {
		const midpoint = Math.floor((bracket.fittingLength + bracket.exceedingLength) / 2);
		const length = step % 2 === 0 ? interpolateLength(bracket, maxTokens) : midpoint;
		const tokens = countAt(length);
		if (tokens <= maxTokens) {
			bracket.fittingLength = length;
			bracket.fittingTokens = tokens;
		} else {
			bracket.exceedingLength = length;
			bracket.exceedingTokens = tokens;
		}
	}
	return bracket.fittingLength;
}

/** Returns a length within the bracket, slightly below the length at which linear interpolation reaches the budget. */
function interpolateLength(bracket: LengthBracket, maxTokens: number): number {
	const { fittingLength, fittingTokens, exceedingLength, exceedingTokens } = bracket;
	const span = exceedingLength - fittingLength;
	const share = (maxTokens - fittingTokens) / (exceedingTokens - fittingTokens);
	const offset = Math.floor(span * share * (1 - relativePrecision / 2));
	return fittingLength + Math.min(span - 1, Math.max(1, offset));
}

function findBoundaryBefore(text: string, length: number): number {
	return (
		findSentenceEnd(text, Math.floor((length * 2) / 3), length) ??
		findWordEnd(text, Math.floor((length * 4) / 5), length) ??
		findGraphemeBoundary(text, length)
	);
}
