/** How the meter in the status bar is written. */

import type { ContextStats } from '../../../server/protocol/stats.ts';
import { roomLeft } from '../text/categories.ts';
import { percentText, tokensText } from '../text/figures.ts';

/** The format where none is set. */
export const defaultFormat = '{percent} {agent}';

const cells = 5;

/** Whether the percentage may be wrong: the tokens are estimated, or nobody tells how large the window is. */
export function isGuess({ source, limit }: ContextStats): boolean {
	return source === 'estimated' || limit.of === 'guess';
}

/** The percentage as the meter shows it; a tilde where it is a guess. */
export function percentOf(stats: ContextStats): string {
	const percent = percentText(stats.usageRatio);
	return isGuess(stats) ? `~${percent}` : percent;
}

/** How full a window is, in five characters. */
function barOf(ratio: number): string {
	const full = Math.min(cells, Math.max(0, Math.round(ratio * cells)));
	return '▰'.repeat(full) + '▱'.repeat(cells - full);
}

/**
 * The meter in a format: `{percent}`, `{tokens}` used, `{limit}` that they are measured against, tokens `{left}`, a
 * `{bar}`, and the `{agent}` that is followed. Without figures, a dash for all of them but the agent.
 */
export function meterText(format: string, stats: ContextStats | null, agent: string): string {
	const values: Readonly<Record<string, string>> | null = stats && {
		percent: percentOf(stats),
		tokens: tokensText(stats.estimatedInputTokens),
		limit: tokensText(stats.availableInputTokens),
		left: tokensText(roomLeft(stats)),
		bar: barOf(stats.usageRatio),
	};
	const namesAgent = format.includes('{agent}');
	const written = values
		? format.replace(/\{(\w+)\}/g, (whole, name) => (name === 'agent' ? agent : (values[name] ?? whole)))
		: `– ${namesAgent ? agent : ''}`;
	return written.replace(/\s+/g, ' ').trim();
}
