/** Figures of compactions as people read them: next to the meter, which counts the whole request. */

import type { ContextStats } from '../../protocol/stats.ts';

/** Tokens of a request beyond its history: the system prompt, the tools, and what the provider counts besides. */
export function tokensBesideHistory({ estimatedInputTokens, breakdown }: ContextStats): number {
	return estimatedInputTokens - breakdown.conversationHistory;
}

/** Returns a decision that is in tokens of the history in tokens of the whole request, given the figures after it. */
export function ofWholeRequest<Figures extends { tokensBefore: number; tokensAfter: number }>(
	decision: Figures,
	stats: ContextStats,
): Figures {
	const beside = tokensBesideHistory(stats);
	const { tokensBefore, tokensAfter } = decision;
	return { ...decision, tokensBefore: tokensBefore + beside, tokensAfter: tokensAfter + beside };
}
