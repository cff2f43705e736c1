/** The contents of the window by category, in the words that VS Code uses. */

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
	/** Name for people. */
	name: string;
	/** Tokens. */
	tokens: number;
	/** Share of the meter's limit, where 1 is full; absent for tokens beyond the limit. */
	share?: number;
	/** Parts of the category, largest first, if the agent reports them. */
	parts?: readonly DetailPart[];
}

/** Returns the category of tokens that the provider counts but no known part explains. */
export function categoryOfOther({ breakdown }: ContextStats): 'other' | 'prompt-and-tools' {
	return breakdown.systemPrompt + breakdown.toolDefinitions > 0 ? 'other' : 'prompt-and-tools';
}

function otherName(stats: ContextStats): string {
	return categoryOfOther(stats) === 'other' ? t('Reminders and Other') : t('System Prompt and Tools');
}

/** Returns the name of the part that is kept free of the window. */
export function reserveName({ limit }: ContextStats): string {
	return limit.compacts === 'agent' ? t('Auto-compact Buffer') : t('Output Reserve');
}

/**
 * Returns the non-empty categories of the window: used, then free, then reserved. The used ones sum to the
 * estimated input. Tool results exclude file reads, which the daemon counts separately.
 */
export function categoriesOf(stats: ContextStats): CategoryShare[] {
	const { breakdown, history, fileBudget, details } = stats;
	const fileReads = Math.min(fileBudget.used, history.toolResults);
	const messages =
		history.user +
		history.assistant +
		history.toolCalls +
		history.summaries +
		history.images +
		breakdown.currentPrompt;
	const full = Math.max(1, stats.availableInputTokens);
	const free = tokensUntilFull(stats);
	const all: CategoryShare[] = [
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
		{ kind: categoryOfOther(stats), name: otherName(stats), tokens: breakdown.other, parts: details?.other },
	];
	const used = all.map((one) => ({ ...one, share: one.tokens / full }));
	return [
		...used,
		{ kind: 'free' as const, name: t('Free'), tokens: free, share: free / full },
		{ kind: 'reserve' as const, name: reserveName(stats), tokens: stats.outputReserve },
	].filter(({ tokens }) => tokens > 0);
}

/** Returns the tokens until automatic compaction; 0 if it is due. */
export function tokensUntilCompaction(stats: ContextStats): number {
	const due = stats.thresholds.compact * stats.availableInputTokens;
	return Math.max(0, Math.round(due - stats.estimatedInputTokens));
}

/** Returns the tokens until the window is full; 0 if it is. */
export function tokensUntilFull({ availableInputTokens, estimatedInputTokens }: ContextStats): number {
	return Math.max(0, Math.round(availableInputTokens - estimatedInputTokens));
}

/** Returns the source of the figures in words. */
export function sourceText(stats: ContextStats): string {
	switch (stats.source) {
		case 'reported':
			return t('Reported by the provider');
		case 'anchored':
			return t('Reported by the provider, newer messages estimated');
		case 'estimated':
			return t('Estimated');
	}
}
