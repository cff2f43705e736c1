/** Types of members of the settings. The tags give defaults and limits. */

/** Shares of the available input tokens at which each state begins. */
export interface Thresholds {
	/**
	 * Share of the available input tokens at which `warning` begins.
	 * @minimum 0
	 * @maximum 1
	 */
	warning: number;
	/**
	 * Share of the available input tokens at which `critical` begins.
	 * @minimum 0
	 * @maximum 1
	 */
	critical: number;
	/**
	 * Share of the available input tokens at which `overflow` begins.
	 * @minimum 0
	 * @maximum 1
	 */
	overflow: number;
}

/** Named sets of thresholds, because the quality of some models decreases earlier than that of others. */
export type ProfileName = 'conservative' | 'balanced' | 'aggressive' | 'gemini';

/**
 * Sets of section headings for a summary: `neurolink` has ten around requests, files and rules; `blog` has ten around
 * decisions, topics and open questions; `vellum` has six around the current work.
 */
export type SummaryHeadings = 'neurolink' | 'blog' | 'vellum';

/**
 * What a compaction is for: `full` keeps as much as the window allows; `balanced` keeps as much as possible at a lower
 * cost than the agent's own compactions; `cheap` compacts early and often.
 */
export type CompactionPreference = 'full' | 'balanced' | 'cheap';

/** Minimum level of messages that are sent to the client's log. */
export type LogLevel = 'off' | 'error' | 'warning' | 'info' | 'debug';

/** Settings for models, by a glob of their ids. */
export interface ModelSettings {
	/**
	 * Size of the window in tokens.
	 * @asType integer
	 * @minimum 1
	 */
	contextWindow?: number;
	/**
	 * Maximum tokens of an answer.
	 * @asType integer
	 * @minimum 1
	 */
	maxOutputTokens?: number;
	/** The thresholds to use. */
	profile?: ProfileName;
	/**
	 * Replaces `compaction.threshold`.
	 * @minimum 0
	 * @maximum 1
	 */
	threshold?: number;
	/**
	 * Replaces `compaction.targetRatio`.
	 * @minimum 0
	 * @maximum 1
	 */
	targetRatio?: number;
}

/** Prices of a model in US dollars per million tokens, as providers list them. */
export interface ModelPrices {
	/**
	 * Price of input that is neither read from a cache nor written to one.
	 * @minimum 0
	 * @maximum 1000000
	 */
	input: number;
	/**
	 * Price of the answer, including thinking.
	 * @minimum 0
	 * @maximum 1000000
	 */
	output: number;
	/**
	 * Price of input read from the cache; by default the usual share of `input`.
	 * @minimum 0
	 * @maximum 1000000
	 */
	cacheRead?: number;
	/**
	 * Price of input written to the cache for the provider's shortest lifetime; by default the usual multiple of `input`.
	 * @minimum 0
	 * @maximum 1000000
	 */
	cacheWrite?: number;
	/**
	 * Price of input written to the cache for an hour; by default the usual multiple of `input`.
	 * @minimum 0
	 * @maximum 1000000
	 */
	cacheWriteForHour?: number;
}

/** Settings of the plugins for agents. */
export interface AgentsSettings {
	/**
	 * A tool result with more tokens is truncated when it is first sent to the model; 0: never.
	 * @asType integer
	 * @minimum 0
	 * @default 4000
	 */
	toolResultTokens: number;
	/**
	 * Whether to compact a long session after the provider's cache expired even if `compaction.policy` is `full` or a
	 * threshold is set.
	 * @default false
	 */
	compactWhenCold: boolean;
	/**
	 * Whether a compaction that will soon be due is already made at the end of a turn.
	 * @default false
	 */
	compactAtTurnEnd: boolean;
}
