/** Formats the meter in the status bar. */

import { formatPercent, formatTokens } from '../../../server/core/figures.ts';
import type { ContextStats } from '../../../server/protocol/stats.ts';
import { countTokensUntilFull } from '../text/categories.ts';

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
