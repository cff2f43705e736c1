/** Resolves settings and the parameters of a request to one policy. */

import type { CompactionConfig } from '../../protocol/compact.ts';
import type { Settings } from '../../protocol/settings.ts';
import { type Policy, scaleToWindow } from './policy.ts';

/** The default tail: number of newest messages, and shares of the budget next to protected messages. */
export const defaultTail = { recentCount: 3, recentShare: 0.2, keepRecentRatio: 0.3 } as const;
/** Share of the budget next to protected messages for a tail of an explicit number of messages. */
const maxAskedShare = 0.9;

export interface PolicyInput {
	settings: Settings;
	config?: CompactionConfig;
	instructions?: string;
	/** Tokens. */
	contextWindow: number;
	cutUserMessages?: Policy['cutUserMessages'];
}

/** Returns the tail's limits. An explicit number of messages means these messages, without a share for others. */
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
		recentShare: count > 0 ? maxAskedShare : recentShare,
		keepRecentRatio: ratio ?? 0,
	};
}

function headingsOf({ summarization, compaction }: Settings): Policy['headings'] {
	const { summarySections } = compaction;
	if (summarization.headings !== null || summarySections === null) return summarization.headings ?? 'plain';
	return summarySections === 'six' ? 'vellum' : 'neurolink';
}

/** Returns the kinds of content to drop instead of running the stages. */
export function dropsOf({ dropReasoning, dropImages }: CompactionConfig = {}): Policy['drops'] {
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
		headings: headingsOf(settings),
		tags: settings.summarization.tags,
		drops: dropsOf(config),
		emergencyCut: 'when nothing else is left',
		instructions,
		cutUserMessages: rest.cutUserMessages ?? 'never',
	};
}
