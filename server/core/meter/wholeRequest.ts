/** Converts figures of compactions for display next to the meter, which counts the whole request. */

import type { ContextStats } from '../../protocol/stats.ts';

/** Tokens of a request outside its history: the system prompt, the tools and the provider's overhead. */
export function countTokensOutsideHistory({ estimatedInputTokens, breakdown }: ContextStats): number {
	return estimatedInputTokens - breakdown.conversationHistory;
}

/** Converts a decision's figures from tokens of the history to tokens of the whole request. */
export function toWholeRequest<Figures extends { tokensBefore: number; tokensAfter: number }>(
	decision: Figures,
	stats: ContextStats,
): Figures {
	const outside = countTokensOutsideHistory(stats);
	const { tokensBefore, tokensAfter } = decision;
	return { ...decision, tokensBefore: tokensBefore + outside, tokensAfter: tokensAfter + outside };
}
