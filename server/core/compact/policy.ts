/** How a compaction goes about it: a dozen numbers, whatever names the user's settings give them. */

import type { SummaryHeadings } from '../../protocol/settings.ts';

/** From this size on, a window takes the figures of pruning unchanged. Tokens. */
const fullWindowTokens = 128_000;

/** Plain titles in reading order, or the sections of a document. */
export type SummaryStyle = SummaryHeadings | 'plain';

export interface Policy {
	stages: { prune: boolean; deduplicate: boolean; summarize: boolean; truncate: boolean };
	/** Tokens of the newest tool outputs that pruning leaves alone. */
	protectTokens: number;
	/** Tokens that pruning must save to be worth it where it does not reach the target by itself. */
	minimumSavings: number;
	/** Globs of tool names; a result is pruned where a prunable one matches and no protected one does. */
	protectedTools: readonly string[];
	prunableTools: readonly string[];
	/** UTF-16 units that a result keeps at most where it is shortened; absent: as many as there is room for. */
	mostResultChars?: number;
	/** Newest messages that no stage hides. */
	recentCount: number;
	/** Share of the room beside protected messages that these newest may take at most. */
	recentShare: number;
	/** Share of the target that the unsummarized tail may take. */
	keepRecentRatio: number;
	/** A summary may be at most this many times as large as what it replaces. */
	maxGrowthRatio: number;
	headings: SummaryStyle;
	/** Whether a summary stands between tags. */
	tags: boolean;
	/** What alone goes, whatever the target; nothing: the stages run. */
	drops: readonly ('reasoning' | 'images')[];
	/** Whether the largest messages may lose their middle when the window alone does not reach the target. */
	emergencyCut: 'never' | 'when nothing else is left';
	/** What to keep above all, in the user's words. */
	instructions?: string;
	/** Whether the middle of the first and the newest user message may go when nothing else is left. */
	cutUserMessages: 'never' | 'when nothing else is left';
}

/**
 * A figure that was chosen for large windows, for a window of this size: it shrinks in proportion below
 * 128 000 tokens, so that no stage is dead on a small one.
 */
export function scaledToWindow(tokens: number, contextWindow: number): number {
	return contextWindow >= fullWindowTokens ? tokens : Math.floor((tokens * contextWindow) / fullWindowTokens);
}
