/** Compactions that came to little: more of the same would not help, so the history is left alone for a while. */

import type { CompactResult } from '../../protocol/compact.ts';
import type { ContextStats } from '../../protocol/stats.ts';
import type { Session } from '../session.ts';
import { leastProgress } from './tuning.ts';

type ContextState = ContextStats['state'];

/** What may run in a state, by rising means. */
const means: Readonly<Record<ContextState, number>> = { healthy: 0, warning: 1, critical: 2, overflow: 3 };

/** Keeps in mind how a compaction ended that could use the means of a state. True where it has stalled. */
export function noteProgress(session: Session, result: CompactResult, tried: ContextState): boolean {
	const share = result.tokensSaved / Math.max(1, result.tokensBefore);
	const isEnough = share >= leastProgress;
	if (isEnough) session.stall = undefined;
	if (isEnough || result.reasonCode === 'below_target') return false;
	session.stall = { tokens: result.tokensAfter, tried };
	return true;
}

/** Whether a history of so many tokens is about the same as when it had `then`: hardly anything came or went. */
export function isAboutTheSame(tokens: number, then: number): boolean {
	return Math.abs(tokens - then) <= then * leastProgress;
}

/** Whether a history of so many tokens is still about the one that nothing helped, with no more means than then. */
export function hasStalled(session: Session, tokens: number, allowed: ContextState): boolean {
	const { stall } = session;
	if (!stall || means[allowed] > means[stall.tried]) return false;
	return isAboutTheSame(tokens, stall.tokens);
}
