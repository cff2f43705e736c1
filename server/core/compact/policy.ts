/** The policy of a compaction, independent of how settings and requests name its members. */

import type { CompactionConfig } from '../../protocol/compact.ts';
import type { SummaryHeadings } from '../../protocol/settingParts.ts';
import type { Settings } from '../../protocol/settings.ts';
import { scaleToWindow } from '../models/budget.ts';

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
	/** Number of newest messages that no stage hides. */
	recentCount: number;
	/** Share of the unprotected budget (target minus protected messages) that the newest messages may take. */
	recentShare: number;
	/** Share of the unprotected budget that the unsummarized tail may take. */
	keepRecentRatio: number;
	/** Maximum size of a summary, relative to the size of the messages that it replaces. */
	maxGrowthRatio: number;
	headings: SummaryStyle;
	/** Whether the summary is wrapped in tags. */
	hasTags: boolean;
	/** Kinds of content to drop, whatever the target. If empty, the stages run. */
	contentToDrop: readonly ('reasoning' | 'images')[];
	/** Whether the largest messages may lose their middle if removing old messages does not reach the target. */
	emergencyCut: 'never' | 'when nothing else is left';
	/** The user's instructions on what the summary should keep. */
	instructions?: string;
	/** Whether the first and the newest user message may lose their middle. */
	cutUserMessages: 'never' | 'when nothing else is left';
}

/** The default tail: number of newest messages, and shares of the unprotected budget. */
export const defaultTail = { recentCount: 3, recentShare: 0.2, keepRecentRatio: 0.3 } as const;
/** Share of the unprotected budget for a tail with an explicit number of messages. */
const maxRequestedTailShare = 0.9;

export interface PolicyInput {
	settings: Settings;
	config?: CompactionConfig;
	instructions?: string;
	/** Size of the model's context window, in tokens. */
	contextWindow: number;
	cutUserMessages?: Policy['cutUserMessages'];
}

/** Returns the limits of the tail. If a number of messages is configured, the tail has only these messages. */
function resolveTail(
	config: CompactionConfig,
	compaction: Settings['compaction'],
): Pick<Policy, 'recentCount' | 'recentShare' | 'keepRecentRatio'> {
	const count = config.recentCount ?? compaction.recentCount;
	const ratio = config.keepRecentRatio ?? compaction.keepRecentRatio;
	const { recentCount, recentShare, keepRecentRatio } = defaultTail;
	if (count === null) return { recentCount, recentShare, keepRecentRatio: ratio ?? keepRecentRatio };
	return {
		recentCount: count,
		recentShare: count > 0 ? maxRequestedTailShare : recentShare,
		keepRecentRatio: ratio ?? 0,
	};
}

function resolveHeadings({ summarization, compaction }: Settings): Policy['headings'] {
	const { summarySections } = compaction;
	if (summarization.headings !== null || summarySections === null) return summarization.headings ?? 'plain';
	return summarySections === 'six' ? 'vellum' : 'neurolink';
}

/** Returns the kinds of content to drop instead of running the stages. */
export function selectContentToDrop({
	dropReasoning,
	dropImages,
}: CompactionConfig = {}): Policy['contentToDrop'] {
	return [...(dropReasoning ? (['reasoning'] as const) : []), ...(dropImages ? (['images'] as const) : [])];
}

/** Returns the policy of one compaction. */
export function resolvePolicy({
	settings,
	config = {},
	instructions,
	contextWindow,
	...rest
}: PolicyInput): Policy {
	const { compaction } = settings;
	return {
		stages: {
			prune: config.enablePrune ?? compaction.enablePruning,
			deduplicate: config.enableDeduplicate ?? compaction.enableDeduplication,
			summarize: config.enableSummarize ?? compaction.enableSummarization,
			truncate: config.enableTruncate ?? compaction.enableSlidingWindow,
		},
		protectTokens: config.pruneProtectTokens ?? scaleToWindow(compaction.pruneProtectTokens, contextWindow),
		minimumSavings:
			config.pruneMinimumSavings ?? scaleToWindow(compaction.pruneMinimumSavings, contextWindow),
		protectedTools: config.pruneProtectedTools ?? compaction.pruneProtectedTools,
		prunableTools: config.pruneTools ?? compaction.pruneTools,
		maxResultChars: config.maxToolOutputChars ?? compaction.maxToolOutputChars ?? undefined,
		...resolveTail(config, compaction),
		maxGrowthRatio: config.maxGrowthRatio ?? 1,
		headings: resolveHeadings(settings),
		hasTags: settings.summarization.tags,
		contentToDrop: selectContentToDrop(config),
		emergencyCut: 'when nothing else is left',
		instructions,
		cutUserMessages: rest.cutUserMessages ?? 'never',
	};
}
