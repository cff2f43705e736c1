import type { ContextStats } from '../../server/protocol/stats.ts';

/** Returns stats of a session with a window of 200,000 tokens, filled to 63% of its limit. */
export function stats(change: Partial<ContextStats> = {}): ContextStats {
	return {
		sessionId: 's1',
		provider: 'anthropic',
		model: 'claude-sonnet-4-5',
		messageCount: 12,
		revision: 0,
		contextWindow: 200_000,
		contextWindowSource: 'registry',
		outputReserve: 64_000,
		availableInputTokens: 136_000,
		limit: { tokens: 136_000, of: 'window', compacts: 'contextd' },
		reserve: { tokens: 64_000, didOverride: false },
		estimatedInputTokens: 85_680,
		usageRatio: 0.63,
		withinBudget: true,
		shouldCompact: false,
		state: 'healthy',
		thresholds: { warning: 0.75, critical: 0.85, overflow: 0.95, compact: 0.8 },
		source: 'reported',
		estimator: 'exact',
		breakdown: {
			systemPrompt: 4000,
			conversationHistory: 70_000,
			currentPrompt: 680,
			toolDefinitions: 9000,
			fileAttachments: 1000,
			other: 1000,
		},
		history: {
			user: 5000,
			assistant: 15_000,
			toolCalls: 8000,
			toolResults: 40_000,
			summaries: 2000,
			images: 0,
			system: 0,
		},
		largest: [],
		fileBudget: { tokens: 50_000, used: 18_000, remaining: 32_000 },
		staleReads: [],
		...change,
	};
}
