/**
 * Numbers that determine the trigger and the default target of compactions. They come from prices and from the behaviour
 * of agents and providers. `npm run eval` does not test them, because it names targets. Shares are of the available
 * tokens.
 */
export const targetPolicy = {
	/** Target as a share of the history's budget, if neither a setting nor the cost decides. */
	defaultTargetShare: 0.6,
	/** Tokens of the history after a model's compaction: its summary, and files that the agent attaches again. */
	modelRemainingTokens: 6000,
	/** Tokens of a summary that a model writes. */
	modelSummaryTokens: 3000,
	/**
	 * Target of `cheap`, and of compactions after the cache expired, as a multiple of the size after a model's compaction.
	 * In recorded sessions, `cheap` cost 0.83 times as much as the agents' own compactions with 4, and at most 0.8 times
	 * with 3.
	 */
	cheapTargetFactor: 3,
	/** Minimum immediate saving of a compaction after the cache expired, in tokens at the input price. */
	minColdSavingTokens: { full: 40_000, balanced: 40_000, cheap: 10_000 },
	/** The smallest target by cost: twice the size after a model's summary, and a margin. */
	minTargetTokens: 13_500,
	/** A compaction that would not pay back waits until this share of the available tokens is used. */
	maxTriggerShare: 0.95,
	/** Default growth of a request, until the session shows its own: a call and its result. Tokens. */
	requestGrowthTokens: 1500,
	/** A target above this share of the trigger would reach the trigger again at once. */
	nearTriggerShare: 0.9,
	/** A target that is too near the trigger is lowered to this share of the trigger. */
	belowTriggerShare: 0.75,
};
