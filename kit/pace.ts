/** How far a decision goes down, so that the next one is not due at once: each costs the provider's cache. */

import type { ContextStats } from '../server/protocol/stats.ts';
import type { DecisionTold } from './shapes.ts';

/** Requests that should follow a decision before the next one is due. */
const requestsBetween = 14;
/** Of what the history may have before a decision is due: a share that it is never made to come below. */
const least = 0.15;

/** What came since the last decision. Plain data. */
export interface Pace {
	/** Requests. */
	requests: number;
	/** Tokens of the history at its beginning. */
	tokens: number;
}

/**
 * The pace once another list was laid.
 * @param laid what the daemon told of it, and decided for it
 */
export function paceAfter(
	pace: Pace | undefined,
	{ stats, decision }: { stats?: ContextStats; decision?: DecisionTold },
): Pace | undefined {
	const tokens = stats?.breakdown.conversationHistory;
	if (tokens === undefined) return pace;
	if (pace === undefined || decision !== undefined) return { requests: 0, tokens };
	return { ...pace, requests: pace.requests + 1 };
}

/**
 * Tokens that the history should come down to: what is due at the pace of the requests since the last decision leaves
 * room for a good many more of them. Undefined where nothing tells the pace.
 */
export function targetFor(pace: Pace | undefined, stats: ContextStats): number | undefined {
	const { conversationHistory } = stats.breakdown;
	if (pace === undefined || pace.requests === 0) return undefined;
	const growth = Math.max(0, conversationHistory - pace.tokens) / pace.requests;
	const others = stats.estimatedInputTokens - conversationHistory;
	const due = Math.max(0, stats.thresholds.compact * stats.availableInputTokens - others);
	return Math.floor(Math.max(least * due, due - requestsBetween * growth));
}
