/** Decides how urgently the meter warns, by the tokens left before the context is compacted. */

import type { ContextStats } from '../../../server/protocol/stats.ts';
import { t } from '../text/language.ts';

/**
 * The remaining part of the window: `enough`; `little` is less than a fifth; `lastTurn` is less than a typical turn takes;
 * with `none`, the next request exceeds the limit.
 */
export type MeterLevel = 'enough' | 'little' | 'lastTurn' | 'none';

type LevelStats = Pick<
	ContextStats,
	'availableInputTokens' | 'estimatedInputTokens' | 'growth' | 'limit' | 'thresholds'
>;

/** Little is left above this used share of the tokens at which a compaction happens. */
const littleLeftShare = 0.8;

/**
 * Tokens of a typical turn, as shares of the tokens at which a compaction happens: `usual` if no turn is known, `min`
 * and `max` as bounds for known turns. Without `max`, the meter of agents with long turns would mostly be red.
 */
const turnShares = { usual: 0.05, min: 0.02, max: 0.1 };

/** Returns the number of tokens at which the agent or contextd compacts; the limit if neither of them compacts. */
export function getCompactionTokens({ availableInputTokens, limit, thresholds }: LevelStats): number {
	return limit.compacts === 'contextd' ? thresholds.compact * availableInputTokens : availableInputTokens;
}

/** Returns the level of the meter. */
export function chooseMeterLevel(stats: LevelStats): MeterLevel {
	const { availableInputTokens, estimatedInputTokens, growth } = stats;
	if (estimatedInputTokens > availableInputTokens) return 'none';
	const point = getCompactionTokens(stats);
	const turn = growth?.perTurn ?? turnShares.usual * point;
	const left = point - estimatedInputTokens;
	if (left <= Math.min(turnShares.max * point, Math.max(turnShares.min * point, turn))) return 'lastTurn';
	return estimatedInputTokens >= littleLeftShare * point ? 'little' : 'enough';
}

/** Returns the level in words for screen readers; an empty text if enough is left. */
export function describeLevel(level: MeterLevel): string {
	switch (level) {
		case 'enough':
			return '';
		case 'little':
			return t('little is left');
		case 'lastTurn':
			return t('less than a typical turn is left');
		case 'none':
			return t('over the limit');
	}
}
