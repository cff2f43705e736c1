/** What a compaction is told, and what it tells. */

import type { Role } from '../history/message.ts';
import type { StageName } from '../history/record.ts';
import type { CompactionSummary } from '../measure/stats.ts';
import type { StageOutcome } from './plan.ts';

/** How a compaction goes about it; whatever is absent or null takes its default. */
export interface CompactionConfig {
	enablePrune?: boolean | null;
	enableDeduplicate?: boolean | null;
	enableSummarize?: boolean | null;
	enableTruncate?: boolean | null;
	/** Tokens of the newest tool outputs that pruning leaves alone. */
	pruneProtectTokens?: number | null;
	/** Tokens that pruning must save to be worth it. */
	pruneMinimumSavings?: number | null;
	/** Globs of tool names whose results are never pruned. */
	pruneProtectedTools?: string[] | null;
	/** Globs of tool names whose results may be pruned. */
	pruneTools?: string[] | null;
	/** Newest messages to keep if that is possible. */
	recentCount?: number | null;
	/** A summary may be at most this many times as large as what it replaces. */
	maxGrowthRatio?: number | null;
	summarizationProvider?: string | null;
	summarizationModel?: string | null;
	/** Share of the target that the unsummarized tail may take. */
	keepRecentRatio?: number | null;
	/** Share of the history that goes where no target is named and it is within the default one. */
	truncationFraction?: number | null;
	/** Provider whose counting rules apply. */
	provider?: string | null;
}

export interface RemovedMessage {
	messageId: string;
	stage: StageName;
	change: 'hidden' | 'shortened' | 'replaced';
	/** Tokens saved on it. */
	tokens: number;
	role: Role;
	toolName?: string;
}

/** A compaction of the past with what it removed. */
export interface LoggedCompaction extends CompactionSummary {
	removed: RemovedMessage[];
}

export type NoCompactionReason =
	| 'below_target'
	| 'just_compacted'
	| 'too_few_messages'
	| 'protected_only'
	| 'no_progress'
	| 'disabled';

export interface CompactResult {
	outcome: 'compacted' | 'nothing_to_compact' | 'no_progress';
	compacted: boolean;
	compactionId?: string;
	/** Where two in a row are told as one, of both, oldest first: undoing both takes it back, the newest first. */
	compactionIds?: string[];
	reason?: string;
	reasonCode?: NoCompactionReason;
	stagesUsed: StageName[];
	/** Tokens of the history alone, as the two below. */
	tokensBefore: number;
	tokensAfter: number;
	tokensSaved: number;
	targetTokens: number;
	stages: StageOutcome[];
	removed: RemovedMessage[];
	summary?: {
		text: string;
		/** Who wrote it: "extract", a model, or "client". */
		by: string;
		attempts: { model: string; ok: boolean; error?: string; ms: number }[];
	};
	repairs: { orphanedCallsFixed: number; orphanedResultsFixed: number };
	/** Leading messages whose bytes did not change. */
	stablePrefixMessages: number;
	/** What the change costs at the provider: tokens after the stable prefix must be written to its prompt cache again. */
	cache: { rewrittenTokens: number; paysBackAfterCalls: number };
	messages?: unknown[];
	/** System text, where the format wants it outside the messages. */
	system?: unknown;
	/** What could not be done as it was asked for, or not be carried over into the format. */
	warnings?: string[];
}
