/** Results of the daemon for tests of the reports. */

import type { CompactResult } from '../../server/protocol/compact.ts';
import type { ContextStats } from '../../server/protocol/stats.ts';

/** Returns the figures of a window that is 65% full, with changes. */
export function statsWith(changes: Partial<ContextStats> = {}): ContextStats {
	return {
		sessionId: 's1',
		provider: 'anthropic',
		model: 'claude-sonnet-4-5',
		messageCount: 58,
		revision: 0,
		contextWindow: 200_000,
		contextWindowSource: 'registry',
		outputReserve: 64_000,
		availableInputTokens: 136_000,
		limit: { tokens: 136_000, of: 'window', compacts: 'contextd' },
		reserve: { tokens: 64_000, didOverride: false },
		estimatedInputTokens: 88_400,
		usageRatio: 0.65,
		withinBudget: true,
		shouldCompact: false,
		state: 'healthy',
		thresholds: { warning: 0.75, critical: 0.85, overflow: 0.95, compact: 0.8 },
		source: 'anchored',
		estimator: 'exact',
		breakdown: {
			systemPrompt: 1200,
			conversationHistory: 80_000,
			currentPrompt: 0,
			toolDefinitions: 4200,
			fileAttachments: 0,
			other: 3000,
		},
		history: {
			user: 2000,
			assistant: 9000,
			toolCalls: 8990,
			toolResults: 60_000,
			summaries: 0,
			images: 0,
			system: 10,
		},
		largest: [
			{ messageId: 'm7', role: 'tool', toolName: 'read_file', tokens: 9120 },
			{ messageId: 'm9', role: 'user', tokens: 480 },
		],
		fileBudget: { tokens: 28_000, used: 12_000, remaining: 16_000 },
		staleReads: [],
		...changes,
	};
}

/** Returns the result of a compaction that freed half, with changes. */
export function compactionWith(changes: Partial<CompactResult> = {}): CompactResult {
	return {
		outcome: 'compacted',
		compacted: true,
		compactionId: 'c1',
		stagesUsed: ['deduplicate', 'summarize'],
		tokensBefore: 80_000,
		tokensAfter: 38_000,
		tokensSaved: 42_000,
		targetTokens: 40_000,
		stages: [
			{
				stage: 'deduplicate',
				ran: true,
				tokensBefore: 80_000,
				tokensAfter: 71_000,
				messagesAffected: 4,
				filesDeduped: 2,
			},
			{
				stage: 'prune',
				ran: false,
				reason: 'too little to save',
				tokensBefore: 71_000,
				tokensAfter: 71_000,
				messagesAffected: 0,
			},
			{ stage: 'summarize', ran: true, tokensBefore: 71_000, tokensAfter: 38_000, messagesAffected: 31 },
		],
		removed: [
			{
				messageId: 'm7',
				stage: 'deduplicate',
				change: 'replaced',
				tokens: 9000,
				role: 'tool',
				toolName: 'read_file',
			},
			{
				messageId: 'm8',
				stage: 'summarize',
				change: 'hidden',
				tokens: 1000,
				role: 'tool',
				toolName: 'run_command',
			},
			{ messageId: 'm9', stage: 'summarize', change: 'hidden', tokens: 32_000, role: 'assistant' },
		],
		summary: { text: '## Primary Request\nFix the clock.\n', by: 'extract', attempts: [] },
		repairs: { orphanedCallsFixed: 0, orphanedResultsFixed: 0 },
		stablePrefixMessages: 2,
		cache: { rewrittenTokens: 30_000, costTokens: 34_500, paysBackAfterCalls: 2 },
		...changes,
	};
}
