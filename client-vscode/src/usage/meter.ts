/** Formats the meter in the status bar, and decides how urgently it warns. */

import { formatPercent, formatTokens } from '../../../server/core/figures.ts';
import type { ContextStats } from '../../../server/protocol/stats.ts';
import { countTokensUntilFull } from '../text/categories.ts';
import { t } from '../text/language.ts';

/** The default format of the meter. */
export const defaultMeterFormat = '{percent} {agent}';

const barCharacters = 5;

/** Returns whether the percentage may be wrong: tokens are estimated, or the window's size is unknown. */
export function isPercentGuess({ source, limit }: ContextStats): boolean {
	return source === 'estimated' || limit.of === 'guess';
}

/** Returns the percentage for the meter; a tilde marks a guess. */
export function formatMeterPercent(stats: ContextStats): string {
	const percent = formatPercent(stats.usageRatio);
	return isPercentGuess(stats) ? `~${percent}` : percent;
}

/** Returns a bar of five characters for a usage ratio. */
function formatBar(ratio: number): string {
	const fullCells = Math.min(barCharacters, Math.max(0, Math.round(ratio * barCharacters)));
	return '▰'.repeat(fullCells) + '▱'.repeat(barCharacters - fullCells);
}

/**
 * Returns the meter's text. A format may contain `{percent}`, `{tokens}` (used), `{limit}`, `{left}` (tokens), `{bar}`
 * and `{agent}` (the followed one). Without stats, a dash replaces everything except the agent.
 */
export function formatMeter(format: string, stats: ContextStats | null, agent: string): string {
	const values: Readonly<Record<string, string>> | null = stats && {
		percent: formatMeterPercent(stats),
		tokens: formatTokens(stats.estimatedInputTokens),
		limit: formatTokens(stats.availableInputTokens),
		left: formatTokens(countTokensUntilFull(stats)),
		bar: formatBar(stats.usageRatio),
	};
	const namesAgent = format.includes('{agent}');
	const text = values
		? format.replace(/\{(\w+)\}/g, (whole, name) => (name === 'agent' ? agent : (values[name] ?? whole)))
		: `– ${namesAgent ? agent : ''}`;
	return text.replace(/\s+/g, ' ').trim();
}

/**
 * How much of the window remains: `enough`; `little` is less than a fifth; `lastTurn` is less than a typical turn takes;
 * with `none`, the next request exceeds the limit.
 */
export type MeterLevel = 'enough' | 'little' | 'lastTurn' | 'none';

type LevelStats = Pick<
	ContextStats,
	'availableInputTokens' | 'estimatedInputTokens' | 'growth' | 'limit' | 'thresholds'
>;

/** Used share of the tokens at which a compaction happens, above which the level is `little`. */
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
	const compactionTokens = getCompactionTokens(stats);
	const turnTokens = Math.max(
		growth?.perTurn ?? turnShares.usual * compactionTokens,
		turnShares.min * compactionTokens,
	);
	const remainingTokens = compactionTokens - estimatedInputTokens;
	if (remainingTokens <= Math.min(turnShares.max * compactionTokens, turnTokens)) return 'lastTurn';
	return estimatedInputTokens >= littleLeftShare * compactionTokens ? 'little' : 'enough';
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
