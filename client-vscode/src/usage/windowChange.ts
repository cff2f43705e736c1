/** Computes how full the window is before and after a compaction or an undo, so that all texts state the same figures. */

import { formatPercent, formatTokens } from '../../../server/core/figures.ts';
import type { CompactionSummary } from '../../../server/protocol/compaction.ts';
import type { ContextStats } from '../../../server/protocol/stats.ts';
import { t } from '../text/language.ts';
import { formatTokenChange } from '../text/receiptText.ts';
import { isPercentGuess } from './meter.ts';

/** Tokens of the whole request before and after a compaction, as the meter counts them. */
export interface WindowChange {
	before: number;
	after: number;
	/** The meter's limit in tokens. */
	limit: number;
	/** Whether `before` may be wrong; `after` is always an estimate. */
	isGuess: boolean;
}

type HistoryTokenChange = Pick<CompactionSummary, 'tokensBefore' | 'tokensAfter'>;

/**
 * Returns how a compaction changes the tokens that the meter shows. The compaction's own figures cover only the history,
 * so the tokens of the rest of the request come from the stats, which should be older than the compaction.
 */
export function computeWindowChange(
	stats: ContextStats,
	{ tokensBefore, tokensAfter }: HistoryTokenChange,
): WindowChange {
	const otherTokens = Math.max(0, stats.estimatedInputTokens - stats.breakdown.conversationHistory);
	return {
		before: otherTokens + tokensBefore,
		after: otherTokens + tokensAfter,
		limit: stats.availableInputTokens,
		isGuess: isPercentGuess(stats),
	};
}

/** Formats a change as `62k → 43k (37% → ~26%)`. */
export function formatWindowChange({ before, after, limit, isGuess }: WindowChange): string {
	const formatShare = (tokens: number): string => formatPercent(tokens / Math.max(1, limit));
	const shareBefore = `${isGuess ? '~' : ''}${formatShare(before)}`;
	return `${formatTokens(before)} → ${formatTokens(after)} (${shareBefore} → ~${formatShare(after)})`;
}

/** Formats how a compaction changes the window; if no stats are known, how it changes the tokens of the history. */
export function formatCompactionChange(stats: ContextStats | undefined, saving: HistoryTokenChange): string {
	return stats
		? formatWindowChange(computeWindowChange(stats, saving))
		: t('{0} tokens of history', formatTokenChange(saving));
}

/**
 * Returns the maximum tokens of the next request if a compaction were undone. An undo also reverts later compactions
 * that build on the undone one. The figure is an upper bound, because it counts every later compaction.
 * @param compactions all compactions of the session, oldest first
 */
export function estimateTokensAfterUndo(
	{ estimatedInputTokens }: Pick<ContextStats, 'estimatedInputTokens'>,
	compactions: readonly CompactionSummary[],
	compactionId: string,
): number {
	const index = compactions.findIndex((each) => each.compactionId === compactionId);
	if (index < 0) return estimatedInputTokens;
	return compactions
		.slice(index)
		.filter(({ undone, byAgent }) => !undone && !byAgent)
		.reduce((sum, { tokensBefore, tokensAfter }) => sum + tokensBefore - tokensAfter, estimatedInputTokens);
}
