/** Describes how many tokens remain before the next compaction or the end of the window. */

import { formatPercent, formatTokens } from '../../../server/core/figures.ts';
import type { ContextStats } from '../../../server/protocol/stats.ts';
import { countTokensUntilCompaction, countTokensUntilFull } from '../text/categories.ts';
import { t } from '../text/language.ts';
import type { ShownSession } from './usage.ts';

/** Returns a text with the used and the available tokens. */
export function formatUsed({ estimatedInputTokens, availableInputTokens }: ContextStats): string {
	return t('{0} of {1} tokens', formatTokens(estimatedInputTokens), formatTokens(availableInputTokens));
}

/** Returns how many tokens remain before the next compaction or the end of the window, as a sentence without period. */
export function formatHeadroom(stats: ContextStats, { followed }: ShownSession): string {
	if (followed) return formatFollowedHeadroom(stats, followed.label);
	if (!stats.withinBudget) return t('The next request does not fit the window');
	if (stats.isHeldBack) return describeDelayedCompaction(stats);
	if (stats.decision?.reason === 'openCalls') return t('Auto-compaction waits for the result of a call');
	const remaining = countTokensUntilCompaction(stats);
	if (stats.shouldCompact || remaining === 0) return describeDueCompaction(stats);
	return t(
		'{0} tokens until auto-compaction at {1}',
		formatTokens(remaining),
		formatPercent(stats.thresholds.compact),
	);
}

/** Returns a sentence that says why the next request will be compacted. */
function describeDueCompaction({ decision }: ContextStats): string {
	switch (decision?.isDue && decision.reason) {
		case 'cold':
			return t('The next request triggers auto-compaction, because the provider’s cache has expired');
		case 'cost':
			return t('The next request triggers auto-compaction, because a smaller context is cheaper');
		case 'budget':
			return t('The next request triggers auto-compaction, because it would cost more than your limit');
		default:
			return t('The next request triggers auto-compaction');
	}
}

/** Returns a sentence that says why automatic compaction waits. */
function describeDelayedCompaction({ decision }: ContextStats): string {
	switch (decision?.reason) {
		case 'paysBackLate':
			return t(
				'Auto-compaction is held back: it would pay back after {0} requests',
				decision.paysBackAfterCalls,
			);
		case 'shortSession':
			return t('Auto-compaction is held back: it would cost too much if the session ends soon');
		default:
			return t('Auto-compaction is held back: it would not pay back before the next one');
	}
}

function formatFollowedHeadroom(stats: ContextStats, agent: string): string {
	if (stats.state === 'overflow') return t('The next request does not fit the window');
	const remaining = formatTokens(countTokensUntilFull(stats));
	if (stats.limit.compacts !== 'agent') return t('{0} tokens left', remaining);
	return stats.withinBudget
		? t('{0} tokens until {1} compacts at {2}', remaining, agent, formatTokens(stats.availableInputTokens))
		: t('{0} compacts on its next request', agent);
}
