/** What people get to read, a line each. */

import type { DecisionTold } from '../../kit/shapes.ts';
import type { ContextStats } from '../../server/protocol/stats.ts';

/** A number of tokens, short: `950`, `41k`, `1.2M`. */
export function short(tokens: number): string {
	if (tokens < 1000) return String(Math.round(tokens));
	if (tokens < 1_000_000) return `${Math.round(tokens / 1000)}k`;
	return `${(tokens / 1e6).toFixed(1).replace(/\.0$/, '')}M`;
}

/** What stands behind Claude Code's own "Not compacted · ". */
export function decidedWords({ tokensBefore, tokensAfter }: DecisionTold): string {
	return `transcript kept; the model now gets ${short(tokensAfter)} instead of ${short(tokensBefore)}, /contextd-undo takes it back`;
}

/** What the status slot shows. */
export function statusWords({
	estimatedInputTokens,
	availableInputTokens,
	usageRatio,
}: ContextStats): string {
	const left = Math.max(0, availableInputTokens - estimatedInputTokens);
	return `context ${Math.round(100 * usageRatio)}% · ${short(left)} left`;
}
