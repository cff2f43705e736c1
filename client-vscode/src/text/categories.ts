/** Divides the tokens of the window into the categories that VS Code uses. */

import type { ContextStats, DetailPart } from '../../../server/protocol/stats.ts';
import { t } from './language.ts';

export type CategoryKind =
	| 'system-instructions'
	| 'tool-definitions'
	| 'messages'
	| 'files'
	| 'tool-results'
	| 'prompt-and-tools'
	| 'other'
	| 'free'
	| 'reserve';

export interface CategoryShare {
	kind: CategoryKind;
	/** Name of the category, translated. */
	name: string;
	/** Tokens in the category. */
	tokens: number;
	/** Share of the meter's limit, from 0 to 1; absent for the reserve, which is beyond the limit. */
	share?: number;
	/** Parts of the category, largest first, if the agent reports them. */
	parts?: readonly DetailPart[];
}

/**
 * Returns the non-empty categories of the window: used, then free, then reserved. The used categories add up to the
 * estimated input. File reads are a separate category, not part of the tool results.
 */
export function listCategories(stats: ContextStats): CategoryShare[] {
	const { breakdown, history, fileBudget, details } = stats;
	const fileReads = Math.min(fileBudget.used, history.toolResults);
	const messages =
		history.user +
		history.assistant +
		history.toolCalls +
		history.summaries +
		history.images +
		breakdown.currentPrompt;
	const limitTokens = Math.max(1, stats.availableInputTokens);
	const freeTokens = countTokensUntilFull(stats);
	// If prompt and tools are unknown, the tokens that the provider counted beyond the messages include both.
	const isPromptKnown = breakdown.systemPrompt + breakdown.toolDefinitions > 0;
	const categories: CategoryShare[] = [
		{
			kind: 'system-instructions',
			name: t('System Instructions'),
			tokens: breakdown.systemPrompt + history.system,
			parts: details?.systemPrompt,
		},
		{
			kind: 'tool-definitions',
			name: t('Tool Definitions'),
			tokens: breakdown.toolDefinitions,
			parts: details?.toolDefinitions,
		},
		{ kind: 'messages', name: t('Messages'), tokens: messages },
		{ kind: 'files', name: t('Files'), tokens: breakdown.fileAttachments + fileReads },
		{ kind: 'tool-results', name: t('Tool Results'), tokens: history.toolResults - fileReads },
		{
			kind: isPromptKnown ? 'other' : 'prompt-and-tools',
			name: isPromptKnown ? t('Reminders and Other') : t('System Prompt and Tools'),
			tokens: breakdown.other,
			parts: details?.other,
		},
	];
	const shares = categories.map((category) => ({ ...category, share: category.tokens / limitTokens }));
	return [
		...shares,
		{ kind: 'free' as const, name: t('Free'), tokens: freeTokens, share: freeTokens / limitTokens },
		{
			kind: 'reserve' as const,
			name: stats.limit.compacts === 'agent' ? t('Auto-compact Buffer') : t('Output Reserve'),
			tokens: stats.outputReserve,
		},
	].filter(({ tokens }) => tokens > 0);
}

/** Returns how many tokens remain until automatic compaction; 0 if it is due. */
export function countTokensUntilCompaction(stats: ContextStats): number {
	const compactAt = stats.thresholds.compact * stats.availableInputTokens;
	return Math.max(0, Math.round(compactAt - stats.estimatedInputTokens));
}

/** Returns how many tokens remain until the window is full; 0 if it is full. */
export function countTokensUntilFull({ availableInputTokens, estimatedInputTokens }: ContextStats): number {
	return Math.max(0, Math.round(availableInputTokens - estimatedInputTokens));
}

/** Returns a text about where the figures come from. */
export function describeSource(stats: ContextStats): string {
	switch (stats.source) {
		case 'reported':
			return t('Reported by the provider');
		case 'anchored':
			return t('Reported by the provider, newer messages estimated');
		case 'estimated':
			return t('Estimated');
	}
}
