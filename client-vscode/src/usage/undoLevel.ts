/** Estimates how full the window would be after an undo. */

import type { CompactionSummary } from '../../../server/protocol/compaction.ts';
import type { ContextStats } from '../../../server/protocol/stats.ts';

/**
 * Returns the maximum tokens of the next request if a compaction were undone. An undo also reverts later compactions
 * that build on the undone one. The figure is an upper bound, because it counts every later compaction.
 *
 * @param compactions all compactions of the session, oldest first
 */
export function estimateTokensAfterUndo(
	{ estimatedInputTokens }: Pick<ContextStats, 'estimatedInputTokens'>,
	compactions: readonly CompactionSummary[],
	compactionId: string,
): number {
	const index = compactions.findIndex((one) => one.compactionId === compactionId);
	if (index < 0) return estimatedInputTokens;
	return compactions
		.slice(index)
		.filter(({ undone, byAgent }) => !undone && !byAgent)
		.reduce((sum, { tokensBefore, tokensAfter }) => sum + tokensBefore - tokensAfter, estimatedInputTokens);
}
