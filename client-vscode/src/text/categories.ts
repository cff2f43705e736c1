/** What the window is filled with, in the words that VS Code uses for it. */

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
	/** As people call it. */
	name: string;
	/** Tokens. */
	tokens: number;
	/** Of what the meter measures against, where 1 is full; absent of what lies beyond that. */
	share?: number;
	/** What it is made of, largest first, where the agent tells. */
	parts?: readonly DetailPart[];
}

/** What no message tells: what the provider counts beyond all that was handed in. */
export function otherKind({ breakdown }: ContextStats): 'other' | 'prompt-and-tools' {
	return breakdown.systemPrompt + breakdown.toolDefinitions > 0 ? 'other' : 'prompt-and-tools';
}

function otherName(stats: ContextStats): string {
	return otherKind(stats) === 'other' ? t('Reminders and Other') : t('System Prompt and Tools');
}

/** What is kept free of the window. */
export function reserveName({ limit }: ContextStats): string {
	return limit.compacts === 'agent' ? t('Auto-compact Buffer') : t('Output Reserve');
}

/**
 * The window by category, empty ones left out: what is used, then what is free, then what is kept free. What is used
 * sums to the estimated input. Reads of files are tool results: they are told apart by what the daemon says they take.
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
	const free = roomLeft(stats);
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
		{ kind: otherKind(stats), name: otherName(stats), tokens: breakdown.other, parts: details?.other },
	];
	const used = all.map((one) => ({ ...one, share: one.tokens / full }));
	return [
		...used,
		{ kind: 'free' as const, name: t('Free'), tokens: free, share: free / full },
		{ kind: 'reserve' as const, name: reserveName(stats), tokens: stats.outputReserve },
	].filter(({ tokens }) => tokens > 0);
}

/** Tokens until auto-compaction begins; 0 where it is due. */
export function headroom(stats: ContextStats): number {
	const due = stats.thresholds.compact * stats.availableInputTokens;
	return Math.max(0, Math.round(due - stats.estimatedInputTokens));
}

/** Tokens until the window is full; 0 where it is. */
export function roomLeft({ availableInputTokens, estimatedInputTokens }: ContextStats): number {
	return Math.max(0, Math.round(availableInputTokens - estimatedInputTokens));
}

/** Where the figure is from, in words. */
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
