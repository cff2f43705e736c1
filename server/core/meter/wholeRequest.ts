/** Converts token counts of compactions for display next to the meter, which counts the whole request. */

import type { ContextStats } from '../../protocol/stats.ts';

/**
 * Converts a decision's token counts from the history to the whole request, with the system prompt, the tools and the
 * provider's overhead.
 */
export function toWholeRequest<Decision extends { tokensBefore: number; tokensAfter: number }>(
	decision: Decision,
	{ estimatedInputTokens, breakdown }: ContextStats,
): Decision {
	const otherTokens = estimatedInputTokens - breakdown.conversationHistory;
	const { tokensBefore, tokensAfter } = decision;
	return { ...decision, tokensBefore: tokensBefore + otherTokens, tokensAfter: tokensAfter + otherTokens };
}
