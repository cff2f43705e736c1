/** What holds where nothing is set. */

import type { Settings } from '../../protocol/settings.ts';

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
