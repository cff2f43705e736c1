/** Figures as people read them: those of compactions next to the meter, which counts the whole request. */

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

/** Formats a number of tokens: `950`, `41k`, `1.2M`. */
export function shortTokens(tokens: number): string {
	if (tokens < 1000) return String(Math.round(tokens));
	if (tokens < 999_500) return `${Math.round(tokens / 1000)}k`;
	return `${(tokens / 1e6).toFixed(1).replace(/\.0$/, '')}M`;
}
