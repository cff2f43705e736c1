/** What the daemon's answers tell of its decisions. */

import type { ContextStats } from '../server/protocol/stats.ts';
import type { ResultOf } from './ports.ts';
import type { DecisionTold } from './shapes.ts';

/** The daemon's newest step, and whether it is undone. */
export function stepOf(stats: ContextStats | null): string {
	const last = stats?.lastCompaction;
	return last === undefined ? '' : `${last.compactionId}${last.undone ? ' undone' : ''}`;
}

/** The decision of a receipt, in tokens of the history. Of two in a row it is the first, which undo must take back. */
export function decisionIn(receipt: ResultOf<'context/compact'>): DecisionTold | undefined {
	if (!receipt?.compacted) return undefined;
	const { compactionIds, compactionId, tokensBefore, tokensAfter } = receipt;
	return { compactionId: compactionIds?.[0] ?? compactionId ?? '', tokensBefore, tokensAfter };
}
