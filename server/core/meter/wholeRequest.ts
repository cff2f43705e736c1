/** Converts figures of compactions for display next to the meter, which counts the whole request. */

import type { ContextStats } from '../../protocol/stats.ts';

/** Tokens of a request outside its history: the system prompt, the tools and the provider's overhead. */
export function tokensOutsideHistory({ estimatedInputTokens, breakdown }: ContextStats): number {
	return estimatedInputTokens - breakdown.conversationHistory;
}

/** Converts a decision from tokens of the history to those of the whole request after it. */
export function toWholeRequest<Figures extends { tokensBefore: number; tokensAfter: number }>(
	decision: Figures,
	stats: ContextStats,
): Figures {
	const outside = tokensOutsideHistory(stats);
	const { tokensBefore, tokensAfter } = decision;
	return { ...decision, tokensBefore: tokensBefore + outside, tokensAfter: tokensAfter + outside };
}

/** Formats a number of tokens: `950`, `41k`, `1.2M`, `3.1B`. */
export function shortTokens(tokens: number): string {
	if (tokens < 1000) return String(Math.round(tokens));
	if (tokens < 999_500) return `${Math.round(tokens / 1000)}k`;
	const [size, unit] = tokens < 999_500_000 ? [1e6, 'M'] : [1e9, 'B'];
	return `${(tokens / size).toFixed(1).replace(/\.0$/, '')}${unit}`;
}
