/** Labels and tones in reports for the names that the daemon uses. */

import type { Breakdown, ContextState, ContextStats, Tally } from '../../protocol/stats.ts';
import type { Tone } from './line.ts';

interface Category {
	label: string;
	tone: Tone;
	tokens: number;
}

type PartName = Exclude<keyof Breakdown, 'conversationHistory' | 'other'>;

const historyLabels: readonly (readonly [keyof Tally, string, Tone])[] = [
	['user', 'User messages', 'cyan'],
	['assistant', 'Assistant messages', 'magenta'],
	['toolCalls', 'Tool calls', 'brightBlue'],
	['toolResults', 'Tool results', 'blue'],
	['summaries', 'Summaries', 'brightMagenta'],
	['images', 'Images', 'brightCyan'],
	['system', 'System messages', 'white'],
];

const requestPartLabels: readonly (readonly [PartName, string, Tone])[] = [
	['systemPrompt', 'System instructions', 'white'],
	['toolDefinitions', 'Tool definitions', 'brightMagenta'],
	['fileAttachments', 'Files', 'brightCyan'],
	['currentPrompt', 'Current prompt', 'cyan'],
];

/** Share of all tokens below which a category gets no row. */
const minShare = 0.0005;

/** Returns the categories of tokens, largest first; unexplained tokens of the provider's count come last. */
export function rankCategories({ breakdown, history, estimatedInputTokens }: ContextStats): Category[] {
	const categories = [
		...historyLabels.map(([name, label, tone]) => ({ label, tone, tokens: history[name] })),
		...requestPartLabels.map(([name, label, tone]) => ({ label, tone, tokens: breakdown[name] })),
	];
	const isReported = breakdown.systemPrompt + breakdown.toolDefinitions > 0;
	const otherLabel = isReported ? 'Reminders and other' : 'System prompt and tools';
	const rest: Category = { label: otherLabel, tone: 'gray', tokens: breakdown.other };
	return [...categories.sort((a, b) => b.tokens - a.tokens), rest].filter(
		({ tokens }) => tokens > 0 && tokens >= estimatedInputTokens * minShare,
	);
}

export const stateTones: Readonly<Record<ContextState, Tone>> = {
	healthy: 'green',
	warning: 'yellow',
	critical: 'red',
	overflow: 'red',
};

export const sourceLabels: Readonly<Record<ContextStats['source'], string>> = {
	reported: 'reported by the provider',
	anchored: "the provider's figure and a count of everything after it",
	estimated: 'by contextd',
};

/** Says where a window's size comes from, for the sources that users should know about. */
export const windowSourceLabels: Readonly<Partial<Record<ContextStats['contextWindowSource'], string>>> = {
	'provider-default': "the provider's usual window; the model is not known",
	default: 'a guess; the model is unknown',
};
