import type { CompactResult } from '../../server/protocol/compact.ts';

/** A receipt of a compaction from 171k to 48k tokens. */
export const receipt: CompactResult = {
	outcome: 'compacted',
	compacted: true,
	stagesUsed: ['summarize'],
	tokensBefore: 171_000,
	tokensAfter: 48_000,
	tokensSaved: 123_000,
	targetTokens: 50_000,
	stages: [],
	removed: [],
	repairs: { orphanedCallsFixed: 0, orphanedResultsFixed: 0 },
	stablePrefixMessages: 0,
	cache: { rewrittenTokens: 0, costTokens: 0, paysBackAfterCalls: 0 },
};
