/** Decides how urgently the meter warns, by the tokens left before the context is compacted. */

import type { ContextStats } from '../../../server/protocol/stats.ts';
import { t } from '../text/language.ts';

/**
 * How much is left: `enough`; `little`, less than a fifth; `lastTurn`, less than a typical turn; `none`, the next request
 * exceeds the limit.
 */
export type MeterLevel = 'enough' | 'little' | 'lastTurn' | 'none';

type LevelStats = Pick<
	ContextStats,
	'availableInputTokens' | 'estimatedInputTokens' | 'growth' | 'limit' | 'thresholds'
>;

/** Share of the way to the compaction from which little is left. */
const littleLeftShare = 0.8;

/**
 * Tokens of a typical turn, as shares of the way to the compaction: if no turn is known, and the bounds within which a
 * session's own turns count. Without the upper bound, agents with long turns would see red most of the time.
 */
const turnShares = { usual: 0.05, min: 0.02, max: 0.1 };

/** Returns the tokens at which the agent or contextd compacts; the limit if neither does. */
export function compactionPoint({ availableInputTokens, limit, thresholds }: LevelStats): number {
	return limit.compacts === 'contextd' ? thresholds.compact * availableInputTokens : availableInputTokens;
}

/** Returns the level of the meter. */
export function meterLevel(stats: LevelStats): MeterLevel {
	const { availableInputTokens, estimatedInputTokens, growth } = stats;
	if (estimatedInputTokens > availableInputTokens) return 'none';
	const point = compactionPoint(stats);
	const turn = growth?.perTurn ?? turnShares.usual * point;
	const left = point - estimatedInputTokens;
	if (left <= Math.min(turnShares.max * point, Math.max(turnShares.min * point, turn))) return 'lastTurn';
	return estimatedInputTokens >= littleLeftShare * point ? 'little' : 'enough';
}

/** Returns the level in words for screen readers; empty if enough is left. */
export function levelText(level: MeterLevel): string {
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
