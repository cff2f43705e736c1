/** Converts token counts of compactions for display next to the meter, which counts the whole request. */

import type { ContextStats } from '../../protocol/stats.ts';

/** Tokens of a request outside its history: the system prompt, the tools and the provider's overhead. */
export function countTokensOutsideHistory({ estimatedInputTokens, breakdown }: ContextStats): number {
	return estimatedInputTokens - breakdown.conversationHistory;
}

/** Converts a decision's token counts from the history to the whole request. */
export function toWholeRequest<Decision extends { tokensBefore: number; tokensAfter: number }>(
	decision: Decision,
	stats: ContextStats,
): Decision {
	const outside = countTokensOutsideHistory(stats);
	const { tokensBefore, tokensAfter } = decision;
	return { ...decision, tokensBefore: tokensBefore + outside, tokensAfter: tokensAfter + outside };
}
