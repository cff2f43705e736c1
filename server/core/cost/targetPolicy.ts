/**
 * Numbers that decide when a compaction is due, and how many tokens it leaves if the caller names no target. They come
 * from prices and from the behaviour of agents and providers; `npm run eval` does not test them, since it names targets.
 * Shares are of the available tokens.
 */
export const targetPolicy = {
	/** Share of the history's budget that a compaction leaves if neither a setting nor the cost decides. */
	defaultTargetShare: 0.6,
	/** Tokens of the history after a model's compaction: its summary, and files that the agent attaches again. */
	modelRemainingTokens: 6000,
	/** Tokens of a summary that a model writes. */
	modelSummaryTokens: 3000,
	/**
	 * Target of `cheap`, and of compactions after the cache expired, as a multiple of what a model's compaction
	 * leaves. With 4, `cheap` cost 0.83 times as much as the agents' own compactions in recorded sessions, with 3 at
	 * most 0.8.
	 */
	cheapTargetFactor: 3,
	/** What a compaction after the cache expired must save at once, in tokens at the input price. */
	minColdSavingTokens: { full: 40_000, balanced: 40_000, cheap: 10_000 },
	/** The smallest target by cost: twice what a model's summary leaves, and a margin. */
	minTargetTokens: 13_500,
	/** A compaction that would not pay back waits until this share of the available tokens is used. */
	maxTriggerShare: 0.95,
	/** Tokens by which a request grows until a session shows otherwise: a call and its result. */
	requestGrowthTokens: 1500,
	/** A target above this share of the trigger would reach the trigger again at once. */
	nearTriggerShare: 0.9,
	/** Share of the trigger to which a target that is too near is lowered. */
	belowTriggerShare: 0.75,
};
