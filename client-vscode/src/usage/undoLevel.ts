/** How full the window would be after an undo. */

import type { CompactionSummary } from '../../../server/protocol/compaction.ts';
import type { ContextStats } from '../../../server/protocol/stats.ts';

/**
 * Returns the maximum tokens of the next request if a compaction were undone. Later compactions that build on it are
 * undone with it; this counts all later ones, so the figure is an upper bound.
 *
 * @param compactions all compactions of the session, oldest first
 */
export function tokensAfterUndo(
	{ estimatedInputTokens }: Pick<ContextStats, 'estimatedInputTokens'>,
	compactions: readonly CompactionSummary[],
	compactionId: string,
): number {
	const first = compactions.findIndex((one) => one.compactionId === compactionId);
	if (first < 0) return estimatedInputTokens;
	return compactions
		.slice(first)
		.filter(({ undone, byAgent }) => !undone && !byAgent)
		.reduce((sum, { tokensBefore, tokensAfter }) => sum + tokensBefore - tokensAfter, estimatedInputTokens);
}
