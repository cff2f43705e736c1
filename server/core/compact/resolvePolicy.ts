/** From what users set and a call asks to the one policy that the stages know. */

import type { CompactionConfig } from '../../protocol/compact.ts';
import type { Settings } from '../../protocol/settings.ts';
import { type Policy, scaledToWindow } from './policy.ts';

/** The newest messages that stay if nobody asks for others: their number, and shares of the budget next to protected ones. */
export const defaultTail = { recentCount: 3, recentShare: 0.2, keepRecentRatio: 0.3 } as const;
/** Share of the budget next to protected messages that a number of newest messages may take that was asked for. */
const maxAskedShare = 0.9;

export interface PolicyInput {
	settings: Settings;
	config?: CompactionConfig;
	instructions?: string;
	/** Tokens. */
	contextWindow: number;
	cutUserMessages?: Policy['cutUserMessages'];
}

/** What the tail of a history is chosen by: whoever names a number of messages means these, and no share beside them. */
function tailOf(
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

/** What alone is to be dropped. */
export function dropsOf({ dropReasoning, dropImages }: CompactionConfig = {}): Policy['drops'] {
	return [...(dropReasoning ? (['reasoning'] as const) : []), ...(dropImages ? (['images'] as const) : [])];
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
		mostResultChars: config.maxToolOutputChars ?? compaction.maxToolOutputChars ?? undefined,
		...tailOf(config, compaction),
		maxGrowthRatio: config.maxGrowthRatio ?? 1,
		headings: headingsOf(settings),
		tags: settings.summarization.tags,
		drops: dropsOf(config),
		emergencyCut: 'when nothing else is left',
		instructions,
		cutUserMessages: rest.cutUserMessages ?? 'never',
	};
}
