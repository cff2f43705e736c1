/**
 * Settings of users. The tags give defaults and limits; `npm run docs` writes the checks, the manifest of VS Code and the
 * tables from them.
 */

import type { ChainLink } from './chain.ts';
import type { EstimatorName } from './conversation.ts';
import type {
	AgentsSettings,
	CompactionPreference,
	LogLevel,
	ModelPrices,
	ModelSettings,
	ProfileName,
	SummaryHeadings,
	Thresholds,
} from './settingParts.ts';

/** All settings. A client sends only those that the user set. */
export interface Settings {
	/** When and how to compact. */
	compaction: {
		/**
		 * Whether to compact automatically.
		 * @default true
		 */
		enabled: boolean;
		/**
		 * When to compact and how much to keep. `full` keeps as much as the window allows, `balanced` as much as possible
		 * at a lower cost than the agent's own compactions, `cheap` the amount that costs least. `balanced` and `cheap`
		 * also compact a long session once the provider's cache has expired. Ignored if `threshold`, `profile` or
		 * `tokenThreshold` is set.
		 * @project
		 * @default "balanced"
		 */
		policy: CompactionPreference;
		/**
		 * Maximum US dollars for reading the prompt of one request from the cache; a more expensive request is compacted
		 * first. Null: no limit. Has no effect for models without a known price.
		 * @minimum 0
		 * @project
		 * @default null
		 */
		maxCostPerCall: number | null;
		/**
		 * Share of the available tokens at which compaction is due; null: the threshold of `profile` if one is set,
		 * otherwise 0.8, or 0.9 for sessions that the plugin of OpenCode or pi syncs.
		 * @minimum 0
		 * @maximum 1
		 * @project
		 * @default null
		 */
		threshold: number | null;
		/**
		 * What `context/prepare` does between the warning level and the threshold: nothing, or shorten tool results; null:
		 * `prune` if `profile` is set, otherwise `none`.
		 * @default null
		 */
		onWarning: 'none' | 'prune' | null;
		/**
		 * Whether tool results may be shortened.
		 * @default true
		 */
		enablePruning: boolean;
		/**
		 * Whether a read of a file may be removed if a later read shows the same content.
		 * @default true
		 */
		enableDeduplication: boolean;
		/**
		 * Whether one summary may replace many messages.
		 * @default true
		 */
		enableSummarization: boolean;
		/**
		 * Whether the oldest exchanges may be removed.
		 * @default true
		 */
		enableSlidingWindow: boolean;
		/**
		 * Maximum bytes (UTF-8) of a truncated tool output.
		 * @asType integer
		 * @minimum 0
		 * @default 51200
		 */
		maxToolOutputBytes: number;
		/**
		 * Maximum lines of a truncated tool output.
		 * @asType integer
		 * @minimum 0
		 * @default 2000
		 */
		maxToolOutputLines: number;
		/**
		 * Share of the remaining window that file reads may take.
		 * @minimum 0
		 * @maximum 1
		 * @default 0.6
		 */
		fileReadBudgetPercent: number;
		/**
		 * Share of the history's budget that remains after a compaction; null: chosen by cost if the provider caches
		 * prompts, otherwise 0.6.
		 * @minimum 0
		 * @maximum 1
		 * @project
		 * @default null
		 */
		targetRatio: number | null;
		/**
		 * Tokens of the window that must be free after a compaction; fewer for small windows.
		 * @asType integer
		 * @minimum 0
		 * @default 20000
		 */
		reserveTokensFloor: number;
		/**
		 * The thresholds of every model; null: each model's own.
		 * @project
		 * @default null
		 */
		profile: ProfileName | null;
		/**
		 * Thresholds that override those of the profile.
		 * @rule ascending
		 * @project
		 * @default null
		 */
		levels: Thresholds | null;
		/**
		 * Tokens of the newest tool outputs that pruning leaves unchanged.
		 * @asType integer
		 * @minimum 0
		 * @default 40000
		 */
		pruneProtectTokens: number;
		/**
		 * Pruning that saves fewer tokens is skipped.
		 * @asType integer
		 * @minimum 0
		 * @default 20000
		 */
		pruneMinimumSavings: number;
		/**
		 * Globs of tool names whose results are never pruned.
		 * @default ["skill", "memory_search"]
		 */
		pruneProtectedTools: readonly string[];
		/**
		 * Globs of tool names whose results may be pruned.
		 * @default ["*"]
		 */
		pruneTools: readonly string[];
		/**
		 * Maximum length of a shortened tool result, in UTF-16 units; null: as long as the target allows.
		 * @multipleOf 1
		 * @minimum 0
		 * @default null
		 */
		maxToolOutputChars: number | null;
		/**
		 * Number of newest messages to keep, or fewer if these take more than 90% of the target minus protected
		 * messages; null: 3, or fewer if these take more than 20%.
		 * @multipleOf 1
		 * @minimum 0
		 * @default null
		 */
		recentCount: number | null;
		/**
		 * Share of the target that the unsummarized tail may take; null: 0.3, or 0 if `recentCount` is set.
		 * @minimum 0
		 * @maximum 1
		 * @default null
		 */
		keepRecentRatio: number | null;
		/**
		 * Maximum number of checkpoints in a session; the least recently used is dropped first.
		 * @asType integer
		 * @minimum 1
		 * @default 5
		 */
		maxCheckpoints: number;
		/**
		 * The older name of `summarization.headings`: `ten` equals `neurolink`, `six` equals `vellum`.
		 * @deprecated Use `summarization.headings`.
		 * @default null
		 */
		summarySections: 'ten' | 'six' | null;
	};
	/**
	 * How much of the window to reserve for the answer: a ratio, or the table of the model's family.
	 * @default "ratio"
	 */
	reserve: 'ratio' | 'table';
	/**
	 * Tokens that the `table` of `reserve` adds for a system prompt, if the client sent none.
	 * @asType integer
	 * @minimum 0
	 * @default 4000
	 */
	systemReserve: number;
	/**
	 * Tokens at which compaction is due, regardless of the threshold; 0: none.
	 * @asType integer
	 * @minimum 0
	 * @project
	 * @default 0
	 */
	tokenThreshold: number;
	/**
	 * How to count tokens.
	 * @default "exact"
	 */
	estimator: EstimatorName;
	/** Who writes summaries. */
	summarization: {
		/**
		 * The models to ask, in this order, until one gives a valid answer. Empty: the client's model if it offers one,
		 * otherwise none. If all fail and `extractive` is not in the list, there is no summary.
		 * @default []
		 */
		chain: readonly ChainLink[];
		/**
		 * Timeout of all attempts together, in milliseconds.
		 * @asType integer
		 * @minimum 1
		 * @default 120000
		 */
		totalTimeoutMs: number;
		/**
		 * Whether to ask a client that announced `summarize`.
		 * @default true
		 */
		useClient: boolean;
		/**
		 * Maximum tokens of a summary.
		 * @asType integer
		 * @minimum 1
		 * @default 8000
		 */
		maxTokens: number;
		/**
		 * The headings of a summary; null: plain titles in reading order, or those of `compaction.summarySections`.
		 * @default null
		 */
		headings: SummaryHeadings | null;
		/**
		 * Whether to enclose a summary in `<condensed-summary>` tags.
		 * @default false
		 */
		tags: boolean;
		/**
		 * For models of DeepSeek: the beginning of the reasoning that precedes a summary.
		 * @default "Let me analyze the context and summarize the key points..."
		 */
		thinkingPrefix: string;
		/**
		 * Whether the reasoning before a summary contains the time of the summary.
		 * @default false
		 */
		includeTimestamp: boolean;
		/**
		 * Whether models of `chain`, or the client's, summarize files that are too large; the files' text is sent to them.
		 * @default false
		 */
		files: boolean;
	};
	/** Settings that apply only to the plugins for agents. */
	agents: AgentsSettings;
	/**
	 * Settings for models, by globs of their ids.
	 * @project
	 * @default {}
	 */
	models: Readonly<Record<string, ModelSettings>>;
	/**
	 * Prices in US dollars per million tokens, by globs of model ids; they replace those of the built-in price lists.
	 * @default {}
	 */
	prices: Readonly<Record<string, ModelPrices>>;
	/** What is stored, and where. */
	storage: {
		/**
		 * Folder of the stored sessions; empty: the platform's usual folder.
		 * @default ""
		 */
		directory: string;
		/**
		 * Whether to store sessions on disk.
		 * @default true
		 */
		enabled: boolean;
		/**
		 * Maximum number of open sessions.
		 * @asType integer
		 * @minimum 1
		 * @default 50
		 */
		maxSessions: number;
		/**
		 * Days without use after which a session is deleted.
		 * @minimum 0
		 * @maximum 36500
		 * @default 30
		 */
		maxAgeDays: number;
		/**
		 * Maximum bytes of message bodies in memory.
		 * @asType integer
		 * @minimum 0
		 * @default 67108864
		 */
		cacheBytes: number;
	};
	/** The process that serves all clients. The newest change by any client applies. */
	daemon: {
		/**
		 * Minutes without a client after which the process exits.
		 * @minimum 0
		 * @maximum 10080
		 * @default 10
		 */
		idleMinutes: number;
		/**
		 * Megabytes of memory above which unused sessions are closed.
		 * @asType integer
		 * @minimum 64
		 * @default 1024
		 */
		memoryMb: number;
	};
	/**
	 * Minimum level of messages that are sent to the client's log.
	 * @default "info"
	 */
	logLevel: LogLevel;
}
