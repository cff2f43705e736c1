/** What a user may set, and what holds where nothing is set. */

import type { ProfileName, Thresholds } from '../models/profiles.ts';

/** `heuristic`: the documented formula; `exact`: a real vocabulary; `calibrated`: a fast estimate of one. */
export type EstimatorName = 'heuristic' | 'exact' | 'calibrated';

export type LogLevel = 'off' | 'error' | 'warning' | 'info' | 'debug';

/** What a user knows better of some models, by a glob of their ids. */
export interface ModelSettings {
	/** Tokens. */
	contextWindow?: number;
	/** Tokens. */
	maxOutputTokens?: number;
	profile?: ProfileName;
}

/** One model that may be asked for a summary. */
export interface ChainLink {
	provider: string;
	model: string;
	timeoutMs: number;
	/** Attempts beyond the first. */
	maxRetries: number;
}

export interface Settings {
	compaction: {
		/** Whether anything is compacted without being asked. */
		enabled: boolean;
		/** Share of the available tokens at which compaction is due. */
		threshold: number;
		enablePruning: boolean;
		enableDeduplication: boolean;
		enableSummarization: boolean;
		enableSlidingWindow: boolean;
		maxToolOutputBytes: number;
		maxToolOutputLines: number;
		/** Share of what is left of the window that file reads may take. */
		fileReadBudgetPercent: number;
		/** Share of what the history may use that a compaction leaves of it. */
		targetRatio: number;
		/** Tokens that must stay free after a compaction; less on small windows. */
		reserveTokensFloor: number;
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
		/** Newest messages that are kept where that is possible. */
		recentCount: number;
		/** Share of the target that the unsummarized tail may take. */
		keepRecentRatio: number;
		/** Which headings a summary has. */
		summarySections: 'ten' | 'six';
	};
	/** How much of the window is kept for the answer. */
	reserve: 'ratio' | 'table';
	/** Tokens that the table rule holds back for a system prompt that was not handed in. */
	systemReserve: number;
	/** Tokens from which on compaction is due, whatever the threshold says; 0 for none. */
	tokenThreshold: number;
	estimator: EstimatorName;
	summarization: {
		chain: readonly ChainLink[];
		/** Whether a client that offers to summarize is asked. */
		useClient: boolean;
		/** Tokens. */
		maxTokens: number;
	};
	models: Readonly<Record<string, ModelSettings>>;
	storage: {
		/** Empty: the platform's place. */
		directory: string;
		/** Whether sessions are kept on disk at all. */
		enabled: boolean;
		/** Open at once. */
		maxSessions: number;
		maxAgeDays: number;
		/** Bytes of message bodies kept in memory. */
		cacheBytes: number;
	};
	logLevel: LogLevel;
}

export const defaultSettings: Settings = {
	compaction: {
		enabled: true,
		threshold: 0.8,
		enablePruning: true,
		enableDeduplication: true,
		enableSummarization: true,
		enableSlidingWindow: true,
		maxToolOutputBytes: 51_200,
		maxToolOutputLines: 2000,
		fileReadBudgetPercent: 0.6,
		targetRatio: 0.6,
		reserveTokensFloor: 20_000,
		profile: null,
		levels: null,
		pruneProtectTokens: 40_000,
		pruneMinimumSavings: 20_000,
		pruneProtectedTools: ['skill'],
		pruneTools: ['*'],
		recentCount: 3,
		keepRecentRatio: 0.3,
		summarySections: 'ten',
	},
	reserve: 'ratio',
	systemReserve: 4000,
	tokenThreshold: 0,
	estimator: 'exact',
	summarization: { chain: [], useClient: true, maxTokens: 8000 },
	models: {},
	storage: {
		directory: '',
		enabled: true,
		maxSessions: 50,
		maxAgeDays: 30,
		cacheBytes: 64 * 1024 * 1024,
	},
	logLevel: 'info',
};
