/** The settings of a user. */

import type { EstimatorName } from './conversation.ts';

/** Shares of the available input tokens at which a state begins. */
export interface Thresholds {
	/** Where `warning` begins. */
	warning: number;
	/** Where `critical` begins. */
	critical: number;
	/** Where `overflow` begins. */
	overflow: number;
}

/** Sets of thresholds. The quality of some models decreases earlier than that of others. */
export type ProfileName = 'conservative' | 'balanced' | 'aggressive' | 'gemini';

/**
 * Sets of section headings for a summary: `neurolink` has ten around requests, files and rules; `blog` has ten around
 * decisions, topics and open questions; `vellum` has six around the current work.
 */
export type SummaryHeadings = 'neurolink' | 'blog' | 'vellum';

/** Minimum level of messages that are sent to the client's log. */
export type LogLevel = 'off' | 'error' | 'warning' | 'info' | 'debug';

/** Settings for models, by a glob of their ids. */
export interface ModelSettings {
	/** Tokens. */
	contextWindow?: number;
	/** Tokens. */
	maxOutputTokens?: number;
	/** The thresholds to use. */
	profile?: ProfileName;
}

/**
 * Who writes a summary: the client's own model; a model of a provider; OpenAI's compaction endpoint
 * (`openai-compact`); or no model (`extractive`): a summary made of the conversation's own words.
 */
export type SummaryProvider =
	| 'client'
	| 'anthropic'
	| 'openai'
	| 'azure'
	| 'google'
	| 'vertex'
	| 'bedrock'
	| 'mistral'
	| 'openai-compatible'
	| 'openai-compact'
	| 'extractive';

/** A key from an environment variable of the daemon. */
export interface KeyVariable {
	/** Name of the variable. */
	env: string;
}

/** One model that may be asked for a summary. */
export interface ChainLink {
	/** The model's provider. */
	provider: SummaryProvider;
	/** The model's id, or the name of its deployment; `client` and `extractive` have none. */
	model?: string;
	/** Base address of requests; by default the provider's own. Plain http is allowed only on this machine. */
	baseURL?: string;
	/** The key; by default from the provider's usual variable, which is sent only to the provider's own host. */
	apiKey?: string | KeyVariable;
	/** Headers of each request. */
	headers?: Readonly<Record<string, string>>;
	/** For `azure`: the resource. */
	resourceName?: string;
	/** For `azure`: the version of the API. */
	apiVersion?: string;
	/** For `vertex`: the project. */
	project?: string;
	/** For `vertex`: the location. */
	location?: string;
	/** For `bedrock`: the region. */
	region?: string;
	/** Whether to stream the answer; by default true. */
	stream?: boolean;
	/** Timeout of one attempt in milliseconds; by default 60 000. */
	timeoutMs?: number;
	/** Maximum number of retries, if another attempt may succeed; by default 1. */
	maxRetries?: number;
}

/** Settings of the plugins for agents. */
export interface AgentsSettings {
	/** A tool result with more tokens is truncated when it is first sent to the model; 0: never. */
	toolResultTokens: number;
	/** Whether to compact a long session before its first request if it is resumed after the provider's cache expired. */
	compactWhenCold: boolean;
	/** Whether a compaction that will soon be due is already made at the end of a turn. */
	compactAtTurnEnd: boolean;
}

/** All settings. A client sends only those that the user set. */
export interface Settings {
	/** When and how to compact. */
	compaction: {
		/** Whether to compact automatically. */
		enabled: boolean;
		/**
		 * Share of the available tokens at which compaction is due; null: the threshold of `profile` if one is set,
		 * otherwise 0.8, or 0.9 for sessions that the plugin of OpenCode or pi syncs.
		 */
		threshold: number | null;
		/**
		 * What `context/prepare` does between the warning level and the threshold: nothing, or shorten tool results; null:
		 * `prune` if `profile` is set, otherwise `none`.
		 */
		onWarning: 'none' | 'prune' | null;
		/** Whether tool results may be shortened. */
		enablePruning: boolean;
		/** Whether a read of a file may be removed if a later read shows the same content. */
		enableDeduplication: boolean;
		/** Whether one summary may replace many messages. */
		enableSummarization: boolean;
		/** Whether the oldest exchanges may be removed. */
		enableSlidingWindow: boolean;
		/** Maximum bytes (UTF-8) of a truncated tool output. */
		maxToolOutputBytes: number;
		/** Maximum lines of a truncated tool output. */
		maxToolOutputLines: number;
		/** Share of the remaining window that file reads may take. */
		fileReadBudgetPercent: number;
		/**
		 * Share of what the history may use that remains after a compaction; null: chosen by cost if the provider caches
		 * prompts, otherwise 0.6.
		 */
		targetRatio: number | null;
		/** Tokens that must be free after a compaction; less for small windows. */
		reserveTokensFloor: number;
		/** The thresholds of every model; null: each model's own. */
		profile: ProfileName | null;
		/** Thresholds that override those of the profile. */
		levels: Thresholds | null;
		/** Tokens of the newest tool outputs that pruning leaves alone. */
		pruneProtectTokens: number;
		/** Pruning that saves fewer tokens is skipped. */
		pruneMinimumSavings: number;
		/** Globs of tool names whose results are never pruned. */
		pruneProtectedTools: readonly string[];
		/** Globs of tool names whose results may be pruned. */
		pruneTools: readonly string[];
		/** Maximum length of a shortened tool result, in UTF-16 units; null: as long as the target allows. */
		maxToolOutputChars: number | null;
		/** Number of newest messages to keep if they fit into 90% of the target; null: 3, if they fit into 20%. */
		recentCount: number | null;
		/** Share of the target that the unsummarized tail may take; null: 0.3, or 0 if `recentCount` is set. */
		keepRecentRatio: number | null;
		/** Maximum number of checkpoints in a session; the least recently used is dropped first. */
		maxCheckpoints: number;
		/**
		 * The older name of `summarization.headings`: `ten` equals `neurolink`, `six` equals `vellum`.
		 * @deprecated Use `summarization.headings`.
		 */
		summarySections: 'ten' | 'six' | null;
	};
	/** How much of the window to reserve for the answer: a ratio, or the table of the model's family. */
	reserve: 'ratio' | 'table';
	/** Tokens that the table reserves for a system prompt, if the client sent none. */
	systemReserve: number;
	/** Tokens at which compaction is due, regardless of the threshold; 0: none. */
	tokenThreshold: number;
	/** How to count tokens. */
	estimator: EstimatorName;
	/** Who writes summaries. */
	summarization: {
		/**
		 * The models to ask, in this order, until one gives a valid answer. Empty: the client's model if it offers one,
		 * otherwise none. If all fail and `extractive` is not in the list, there is no summary.
		 */
		chain: readonly ChainLink[];
		/** Timeout of all attempts together, in milliseconds. */
		totalTimeoutMs: number;
		/** Whether to ask a client that announced `summarize`. */
		useClient: boolean;
		/** Maximum tokens of a summary. */
		maxTokens: number;
		/** The headings of a summary; null: plain titles in reading order, or those of `compaction.summarySections`. */
		headings: SummaryHeadings | null;
		/** Whether to enclose a summary in `<condensed-summary>` tags. */
		tags: boolean;
		/** For models of DeepSeek: the beginning of the reasoning that precedes a summary. */
		thinkingPrefix: string;
		/** Whether that reasoning contains the time of the summary. */
		includeTimestamp: boolean;
		/**
		 * Whether models of `chain`, or the client's, summarize files that are too large; the files' text is sent to them.
		 */
		files: boolean;
	};
	/** Settings that apply only to the plugins for agents. */
	agents: AgentsSettings;
	/** Settings for models, by globs of their ids. */
	models: Readonly<Record<string, ModelSettings>>;
	/** What is stored, and where. */
	storage: {
		/** Folder of the stored sessions; empty: the platform's usual folder. */
		directory: string;
		/** Whether to store sessions on disk. */
		enabled: boolean;
		/** Maximum number of open sessions. */
		maxSessions: number;
		/** Days without use after which a session is deleted. */
		maxAgeDays: number;
		/** Maximum bytes of message bodies in memory. */
		cacheBytes: number;
	};
	/** The process that serves all clients; the client that changed these settings last decides. */
	daemon: {
		/** Minutes without a client after which the process exits. */
		idleMinutes: number;
		/** Megabytes of memory above which unused sessions are closed. */
		memoryMb: number;
	};
	/** Minimum level of messages that are sent to the client's log. */
	logLevel: LogLevel;
}
