/** From what users set and a call asks to the one policy that the stages know. */

import type { CompactionConfig } from '../../protocol/compact.ts';
import type { Settings } from '../../protocol/settings.ts';
import { type Policy, scaledToWindow } from './policy.ts';

export interface PolicyInput {
	settings: Settings;
	config?: CompactionConfig;
	instructions?: string;
	/** Tokens. */
	contextWindow: number;
	cutUserMessages?: Policy['cutUserMessages'];
}

/** The policy of one compaction. */
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
		protectTokens: config.pruneProtectTokens ?? scaledToWindow(compaction.pruneProtectTokens, contextWindow),
		minimumSavings:
			config.pruneMinimumSavings ?? scaledToWindow(compaction.pruneMinimumSavings, contextWindow),
		protectedTools: config.pruneProtectedTools ?? compaction.pruneProtectedTools,
		prunableTools: config.pruneTools ?? compaction.pruneTools,
		recentCount: config.recentCount ?? compaction.recentCount,
		keepRecentRatio: config.keepRecentRatio ?? compaction.keepRecentRatio,
		maxGrowthRatio: config.maxGrowthRatio ?? 1,
		summarySections: compaction.summarySections,
		dropReasoning: config.dropReasoning ?? false,
		emergencyCut: 'when nothing else is left',
		instructions,
		cutUserMessages: rest.cutUserMessages ?? 'never',
	};
}
