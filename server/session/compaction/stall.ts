/** Detects compactions that saved too little, so that the same history is not compacted again. */

import type { CompactResult } from '../../protocol/compact.ts';
import type { ContextState } from '../../protocol/stats.ts';
import type { Session } from '../session.ts';
import { minProgressShare } from './tuning.ts';

/** Rank of each state: the higher, the more aggressive stages may run. */
const stateRanks: Readonly<Record<ContextState, number>> = {
	healthy: 0,
	warning: 1,
	critical: 2,
	overflow: 3,
};

/** Whether two sizes of a history differ so little that trying again is pointless. Tokens. */
export function areAboutEqual(tokens: number, earlierTokens: number): boolean {
	return Math.abs(tokens - earlierTokens) <= earlierTokens * minProgressShare;
}

/** Whether the last compaction saved too little, the history has hardly grown since, and no stronger stage may run. */
export function hasStalled(session: Session, tokens: number, allowedState: ContextState): boolean {
	const { stall } = session;
	if (!stall || stateRanks[allowedState] > stateRanks[stall.triedState]) return false;
	return areAboutEqual(tokens, stall.tokens);
}

/**
 * Records whether a compaction saved too little; if it did, returns a warning.
 * @param triedState the state whose stages the compaction ran
 */
export function recordStall(session: Session, result: CompactResult, triedState: ContextState): string[] {
	const share = result.tokensSaved / Math.max(1, result.tokensBefore);
	const isEnough = share >= minProgressShare;
	if (isEnough) session.stall = undefined;
	if (isEnough || result.reasonCode === 'below_target') return [];
	session.stall = { tokens: result.tokensAfter, triedState };
	if (!result.compacted) return [`nothing could be compacted: ${result.reason}`];
	return [
		`the compaction saved ${result.tokensSaved} of ${result.tokensBefore} tokens: another compaction would not help`,
	];
}
