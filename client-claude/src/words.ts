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

/** After a refused request was made smaller, until it is known whether its size was the reason. */
export const trialWords =
	'the provider refused the full conversation twice and took a shorter view: contextd tries the full one again with the next request';

/** After the full conversation was answered again. */
export const restoredWords = 'the provider takes the full conversation again: contextd restored it';

/** When a decision was missed. */
export function pausedWords(why: string): string {
	return `contextd is paused: ${why}. Claude Code continues without it`;
}
