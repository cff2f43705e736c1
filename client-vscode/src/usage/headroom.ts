/** Describes how many tokens remain before something happens. */

import type { ContextStats } from '../../../server/protocol/stats.ts';
import { headroom, roomLeft } from '../text/categories.ts';
import { percentText, tokensText } from '../text/figures.ts';
import { t } from '../text/language.ts';
import type { ShownSession } from './usage.ts';

/** Returns the used and the available tokens. */
export function usedText({ estimatedInputTokens, availableInputTokens }: ContextStats): string {
	return t('{0} of {1} tokens', tokensText(estimatedInputTokens), tokensText(availableInputTokens));
}

/** Returns how far it is to the next compaction or the end of the window, as a sentence without period. */
export function headroomText(stats: ContextStats, { followed }: ShownSession): string {
	if (followed) return followedHeadroom(stats, followed.label);
	if (!stats.withinBudget) return t('The next request does not fit the window');
	const left = headroom(stats);
	return left > 0
		? t('{0} tokens until auto-compaction at {1}', tokensText(left), percentText(stats.thresholds.compact))
		: t('The next request triggers auto-compaction');
}

function followedHeadroom(stats: ContextStats, agent: string): string {
	if (stats.state === 'overflow') return t('The next request does not fit the window');
	const left = tokensText(roomLeft(stats));
	if (stats.limit.compacts !== 'agent') return t('{0} tokens left', left);
	return stats.withinBudget
		? t('{0} tokens until {1} compacts at {2}', left, agent, tokensText(stats.availableInputTokens))
		: t('{0} compacts on its next request', agent);
}
