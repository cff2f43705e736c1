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

/** A call's value where it gave one: null and undefined mean the default. */
function either<T>(value: T | null | undefined, fallback: T): T {
	return value ?? fallback;
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
			prune: either(config.enablePrune, compaction.enablePruning),
			deduplicate: either(config.enableDeduplicate, compaction.enableDeduplication),
			summarize: either(config.enableSummarize, compaction.enableSummarization),
			truncate: either(config.enableTruncate, compaction.enableSlidingWindow),
		},
		protectTokens: either(
			config.pruneProtectTokens,
			scaledToWindow(compaction.pruneProtectTokens, contextWindow),
		),
		minimumSavings: either(
			config.pruneMinimumSavings,
			scaledToWindow(compaction.pruneMinimumSavings, contextWindow),
		),
		protectedTools: either(config.pruneProtectedTools, compaction.pruneProtectedTools),
		prunableTools: either(config.pruneTools, compaction.pruneTools),
		recentCount: either(config.recentCount, compaction.recentCount),
		keepRecentRatio: either(config.keepRecentRatio, compaction.keepRecentRatio),
		maxGrowthRatio: either(config.maxGrowthRatio, 1),
		summarySections: compaction.summarySections,
		emergencyCut: 'when nothing else is left',
		instructions,
		cutUserMessages: rest.cutUserMessages ?? 'never',
	};
}
