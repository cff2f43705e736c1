/** How full the window is before and after a compaction, the same wherever it is shown. */

import { formatPercent, formatTokens } from '../../../server/core/figures.ts';
import type { CompactionSummary } from '../../../server/protocol/compaction.ts';
import type { ContextStats } from '../../../server/protocol/stats.ts';
import { t } from '../text/language.ts';
import { savingText } from '../text/receiptText.ts';
import { isGuess } from './meterFormat.ts';

/** Tokens of the whole request, which is what the meter shows. */
export interface WindowChange {
	before: number;
	after: number;
	/** The meter's limit. */
	limit: number;
	/** Whether the figure before may be wrong; the one after always is an estimate, as on the meter. */
	isGuess: boolean;
}

type Saving = Pick<CompactionSummary, 'tokensBefore' | 'tokensAfter'>;

/**
 * Returns how a compaction changes the meter. The compaction's own figures cover only the history. The rest of the request
 * is taken from the stats, which should be from before the compaction.
 */
export function windowChangeOf(stats: ContextStats, { tokensBefore, tokensAfter }: Saving): WindowChange {
	const rest = Math.max(0, stats.estimatedInputTokens - stats.breakdown.conversationHistory);
	return {
		before: rest + tokensBefore,
		after: rest + tokensAfter,
		limit: stats.availableInputTokens,
		isGuess: isGuess(stats),
	};
}

/** Formats a change as `62k → 43k (37% → ~26%)`. */
export function windowChangeText({ before, after, limit, isGuess }: WindowChange): string {
	const percent = (tokens: number): string => formatPercent(tokens / Math.max(1, limit));
	const percentBefore = `${isGuess ? '~' : ''}${percent(before)}`;
	return `${formatTokens(before)} → ${formatTokens(after)} (${percentBefore} → ~${percent(after)})`;
}

/** Formats what a compaction changes; only the tokens of the history if no stats are known. */
export function compactionChangeText(stats: ContextStats | undefined, saving: Saving): string {
	return stats
		? windowChangeText(windowChangeOf(stats, saving))
		: t('{0} tokens of history', savingText(saving));
}
