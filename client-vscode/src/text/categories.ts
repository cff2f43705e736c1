/** What the window is filled with, in the words that VS Code uses for it. */

import type { ContextStats } from '../../../server/protocol/stats.ts';

export type CategoryName =
	| 'System Instructions'
	| 'Tool Definitions'
	| 'Messages'
	| 'Files'
	| 'Tool Results'
	| 'System Prompt and Tools'
	| 'Reminders and Other'
	| 'Free'
	| 'Output Reserve'
	| 'Auto-compact Buffer';

export interface CategoryShare {
	name: CategoryName;
	/** Tokens. */
	tokens: number;
	/** Of what the meter measures against, where 1 is full; absent of what is kept free. */
	share?: number;
}

/** What no message tells: what the provider counts beyond all that was handed in. */
export function otherName({ breakdown }: ContextStats): CategoryName {
	const isTold = breakdown.systemPrompt + breakdown.toolDefinitions > 0;
	return isTold ? 'Reminders and Other' : 'System Prompt and Tools';
}

/** What is kept free of the window. */
export function reserveName({ limit }: ContextStats): CategoryName {
	return limit.compacts === 'agent' ? 'Auto-compact Buffer' : 'Output Reserve';
}

/**
 * The window by category, empty ones left out. All but what is free or kept free sum to the estimated input, and
 * their shares to the meter's.
 * Reads of files are tool results: they are told apart by what the daemon says they take.
 */
export function categoriesOf(stats: ContextStats): CategoryShare[] {
	const { breakdown, history, fileBudget } = stats;
	const fileReads = Math.min(fileBudget.used, history.toolResults);
	const all: [CategoryName, number][] = [
		['System Instructions', breakdown.systemPrompt + history.system],
		['Tool Definitions', breakdown.toolDefinitions],
		[
			'Messages',
			history.user +
				history.assistant +
				history.toolCalls +
				history.summaries +
				history.images +
				breakdown.currentPrompt,
		],
		['Files', breakdown.fileAttachments + fileReads],
		['Tool Results', history.toolResults - fileReads],
		[otherName(stats), breakdown.other],
	];
	const full = Math.max(1, stats.availableInputTokens);
	const kept: CategoryShare[] = [
		{ name: 'Free', tokens: roomLeft(stats) },
		{ name: reserveName(stats), tokens: stats.outputReserve },
	];
	return [
		...all.map(([name, tokens]): CategoryShare => ({ name, tokens, share: tokens / full })),
		...kept,
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
			return 'reported by the provider';
		case 'anchored':
			return 'reported by the provider, newer messages estimated';
		case 'estimated':
			return 'estimated';
	}
}
