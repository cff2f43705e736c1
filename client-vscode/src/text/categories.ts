/** What the window is filled with, in the words that VS Code uses for it. */

import type { ContextStats } from '../../../server/protocol/stats.ts';

export type CategoryName =
	| 'System Instructions'
	| 'Tool Definitions'
	| 'Messages'
	| 'Files'
	| 'Tool Results'
	| 'Uncategorized'
	| 'Output Reserve';

export interface CategoryShare {
	name: CategoryName;
	/** Tokens. */
	tokens: number;
	/** Of the whole window, 0 to 1. */
	share: number;
}

/**
 * The window by category, empty ones left out. All but `Output Reserve` sum to the estimated input.
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
		['Uncategorized', breakdown.other],
		['Output Reserve', stats.outputReserve],
	];
	const window = Math.max(1, stats.contextWindow);
	return all
		.filter(([, tokens]) => tokens > 0)
		.map(([name, tokens]) => ({ name, tokens, share: tokens / window }));
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
