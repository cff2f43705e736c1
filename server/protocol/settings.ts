/** What a user may set. */

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

/** Levels that suit a model: quality falls sooner on some than on others. */
export type ProfileName = 'conservative' | 'balanced' | 'aggressive' | 'gemini';

/**
 * Headings of a summary that a document describes: ten around requests, files and rules; ten around decisions, topics and
 * open questions; six around the current work.
 */
export type SummaryHeadings = 'neurolink' | 'blog' | 'vellum';

/** What reaches the client's log. */
export type LogLevel = 'off' | 'error' | 'warning' | 'info' | 'debug';

/** What a user knows better of some models, by a glob of their ids. */
export interface ModelSettings {
	/** Tokens. */
	contextWindow?: number;
	/** Tokens. */
	maxOutputTokens?: number;
	/** Which levels it has. */
	profile?: ProfileName;
}

/**
 * Who writes a summary: the client's own model; the model of a provider; the endpoint of OpenAI that compacts by itself
 * (`openai-compact`); or nobody but the conversation's own words (`extractive`).
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

/** A key out of an environment variable of the daemon. */
export interface KeyVariable {
	/** The variable's name. */
	env: string;
}

/** One model that may be asked for a summary. */
export interface ChainLink {
	/** Its provider. */
	provider: SummaryProvider;
	/** Its id, or the name of its deployment; `client` and `extractive` have none. */
	model?: string;
	/** Where requests go; by default the provider's own address. Plain http only on this machine. */
	baseURL?: string;
	/** The key; by default that of the provider's usual variable, which goes to the provider's own host alone. */
	apiKey?: string | KeyVariable;
	/** Sent with each request. */
	headers?: Readonly<Record<string, string>>;
	/** Of `azure`: the resource. */
	resourceName?: string;
	/** Of `azure`: the version of its API. */
	apiVersion?: string;
	/** Of `vertex`: the project. */
	project?: string;
	/** Of `vertex`: the location. */
	location?: string;
	/** Of `bedrock`: the region. */
	region?: string;
	/** Whether the answer is asked for piece by piece; by default true. */
	stream?: boolean;
	/** Milliseconds that one attempt may take; by default 60 000. */
	timeoutMs?: number;
	/** Attempts beyond the first where another may help; by default 1. */
	maxRetries?: number;
}

/** What plugins of agents do. */
export interface AgentsSettings {
	/** Tokens beyond which a result of a tool is cut when it is first sent to the model; 0: never. */
	toolResultTokens: number;
	/** Whether a long session that is resumed after the provider's cache went cold is compacted before its first request. */
	compactWhenCold: boolean;
	/** Whether a compaction that is near is made at the end of a turn already. */
	compactAtTurnEnd: boolean;
}

/** Everything that may be set; a client sends only what the user did set. */
export interface Settings {
	/** When and how room is made. */
	compaction: {
		/** Whether anything is compacted without being asked. */
		enabled: boolean;
		/**
		 * Share of the available tokens at which compaction is due; null: that of `profile` where one is set, else 0.8, and
		 * 0.9 where the plugin of OpenCode or pi feeds the session.
		 */
		threshold: number | null;
		/**
		 * What `context/prepare` does between the warning level and the threshold: nothing, or results of tools are
		 * shortened; null: `prune` where `profile` is set, else `none`.
		 */
		onWarning: 'none' | 'prune' | null;
		/** Whether results of tools may be shortened. */
		enablePruning: boolean;
		/** Whether earlier reads of a file may go where a later one shows the same. */
		enableDeduplication: boolean;
		/** Whether one summary may be made of many messages. */
		enableSummarization: boolean;
		/** Whether the oldest exchanges may go. */
		enableSlidingWindow: boolean;
		/** Bytes of UTF-8 that a tool's output is cut to. */
		maxToolOutputBytes: number;
		/** Lines that a tool's output is cut to. */
		maxToolOutputLines: number;
		/** Share of what is left of the window that file reads may take. */
		fileReadBudgetPercent: number;
		/**
		 * Share of what the history may use that a compaction leaves of it; null: chosen by cost if the provider caches
		 * prompts, else 0.6.
		 */
		targetRatio: number | null;
		/** Tokens that must stay free after a compaction; less on small windows. */
		reserveTokensFloor: number;
		/** Which levels hold for every model; null: those of the model. */
		profile: ProfileName | null;
		/** Levels that stand above those of the profile. */
		levels: Thresholds | null;
		/** Tokens of the newest tool outputs that pruning leaves alone. */
		pruneProtectTokens: number;
		/** Tokens that pruning must save to be worth it. */
		pruneMinimumSavings: number;
		/** Globs of tool names whose results are never pruned. */
		pruneProtectedTools: readonly string[];
		/** Globs of tool names whose results may be pruned. */
		pruneTools: readonly string[];
		/** UTF-16 units that a result of a tool keeps at most where it is shortened; null: as many as there is room for. */
		maxToolOutputChars: number | null;
		/**
		 * Newest messages that are kept where that is possible, in at most nine tenths of the room; null: 3 of them, in at most
		 * a fifth of it.
		 */
		recentCount: number | null;
		/** Share of the target that the unsummarized tail may take; null: 0.3, or 0 where `recentCount` is set. */
		keepRecentRatio: number | null;
		/** Checkpoints that a session keeps, least recently used out first. */
		maxCheckpoints: number;
		/** The older name of `summarization.headings`: `ten` is `neurolink`, `six` is `vellum`. */
		summarySections: 'ten' | 'six' | null;
	};
	/** How much of the window is kept for the answer: by a ratio, or by the table of the model's family. */
	reserve: 'ratio' | 'table';
	/** Tokens that the table rule holds back for a system prompt that was not handed in. */
	systemReserve: number;
	/** Tokens from which on compaction is due, whatever the threshold says; 0 for none. */
	tokenThreshold: number;
	/** How tokens are counted. */
	estimator: EstimatorName;
	/** Who writes summaries. */
	summarization: {
		/**
		 * Who is asked, in this order, until an answer may stand; empty: the client where it offers that, then nobody's
		 * model. Where all fail and `extractive` is not among them, there is no summary.
		 */
		chain: readonly ChainLink[];
		/** Milliseconds that all of them may take together. */
		totalTimeoutMs: number;
		/** Whether a client that offers to summarize is asked. */
		useClient: boolean;
		/** Tokens that a summary may have. */
		maxTokens: number;
		/** The headings of a summary; null: plain titles in reading order, or what `compaction.summarySections` names. */
		headings: SummaryHeadings | null;
		/** Whether a summary stands between `<condensed-summary>` tags. */
		tags: boolean;
		/** What the reasoning begins with that stands in front of a summary where the session's model is one of DeepSeek. */
		thinkingPrefix: string;
		/** Whether that reasoning says when the summary was made. */
		includeTimestamp: boolean;
		/** Whether files that are too large are summarized by a model of `chain`, or the client's; their text is sent to it. */
		files: boolean;
	};
	/** What plugins of agents do, beside what holds for every session. */
	agents: AgentsSettings;
	/** What the user knows better of models, by globs of their ids. */
	models: Readonly<Record<string, ModelSettings>>;
	/** What is kept, and where. */
	storage: {
		/** Where sessions are kept; empty: the platform's place. */
		directory: string;
		/** Whether sessions are kept on disk at all. */
		enabled: boolean;
		/** Sessions that are open at once. */
		maxSessions: number;
		/** Days after which a session that nobody touched is removed. */
		maxAgeDays: number;
		/** Bytes of message bodies kept in memory. */
		cacheBytes: number;
	};
	/** The process that serves all clients; the client that last set them decides. */
	daemon: {
		/** Minutes without a client after which it ends. */
		idleMinutes: number;
		/** Megabytes of memory above which it closes sessions that nobody uses. */
		memoryMb: number;
	};
	/** What reaches the client's log. */
	logLevel: LogLevel;
}
