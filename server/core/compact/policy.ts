/** The policy of a compaction, independent of how settings and requests name its members. */

import type { SummaryHeadings } from '../../protocol/settingParts.ts';

/** Windows of at least this many tokens use the figures of pruning unscaled. */
const fullWindowTokens = 128_000;

/** The headings of a summary: plain titles in reading order, or the sections of a document. */
export type SummaryStyle = SummaryHeadings | 'plain';

export interface Policy {
	stages: { prune: boolean; deduplicate: boolean; summarize: boolean; truncate: boolean };
	/** Tokens of the newest tool results that pruning does not touch. */
	protectTokens: number;
	/** Tokens that pruning must save to run at all, unless it reaches the target. */
	minimumSavings: number;
	/** Globs of tool names: a result may be pruned if `prunableTools` match and `protectedTools` do not. */
	protectedTools: readonly string[];
	prunableTools: readonly string[];
	/** Maximum length of a shortened result in UTF-16 units; by default only the budget limits it. */
	maxResultChars?: number;
	/** Newest messages that no stage hides. */
	recentCount: number;
	/** Share of the budget next to protected messages that the newest messages may take. */
	recentShare: number;
	/** Share of the target that the unsummarized tail may take. */
	keepRecentRatio: number;
	/** A summary may be at most this many times as large as what it replaces. */
	maxGrowthRatio: number;
	headings: SummaryStyle;
	/** Whether the summary is wrapped in tags. */
	tags: boolean;
	/** Kinds of content to drop, whatever the target; if empty, the stages run instead. */
	drops: readonly ('reasoning' | 'images')[];
	/** Whether the largest messages may lose their middle if dropping old ones does not reach the target. */
	emergencyCut: 'never' | 'when nothing else is left';
	/** What the summary should keep above all, in the user's words. */
	instructions?: string;
	/** Whether the first and the newest user message may lose their middle. */
	cutUserMessages: 'never' | 'when nothing else is left';
}

/**
 * Scales a number of tokens chosen for large windows to this window. Below 128,000 tokens it shrinks in proportion,
 * so that every stage still works in a small window.
 */
export function scaleToWindow(tokens: number, contextWindow: number): number {
	return contextWindow >= fullWindowTokens ? tokens : Math.floor((tokens * contextWindow) / fullWindowTokens);
}
