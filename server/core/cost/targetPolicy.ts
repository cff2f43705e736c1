/**
 * When a compaction is due, and how far down it goes if the caller names no target. These numbers come from prices
 * and from the behaviour of agents and providers; the evaluation does not reach them, since it names its targets.
 * Shares are of the available tokens.
 */
export const targetPolicy = {
	/** Share of the history's budget that a compaction leaves if neither a setting nor the cost decides. */
	defaultTargetShare: 0.6,
	/** What a model's compaction leaves of the history, with files that its agent attaches again, and writes. */
	modelRemainingTokens: 6000,
	modelSummaryTokens: 3000,
	/**
	 * The view of `cheap`, and of a compaction after the cache expired in a large window: times what a model's
	 * compaction leaves. That is five times its summary. With 4, `cheap` cost 0.83 times as much as the agents' own
	 * compactions in recorded sessions, with 3 at most 0.8.
	 */
	cheapViewSummaries: 3,
	/** What a compaction after the cache expired must save at once, in tokens at the input price. */
	minColdSavingTokens: { full: 40_000, balanced: 40_000, cheap: 10_000 },
	/** The smallest target by cost: twice what a model's summary leaves, and a margin. */
	minViewTokens: 13_500,
	/** A compaction that would not pay back waits until this share of the available tokens is used. */
	maxTriggerShare: 0.95,
	/** Tokens by which a request grows until a session shows otherwise: a call and its result. */
	requestGrowthTokens: 1500,
	/** A target above the first share of the trigger would trigger again at once; it is lowered to the second. */
	nearTriggerShare: 0.9,
	belowTriggerShare: 0.75,
};
