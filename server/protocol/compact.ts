/** Making room, taking it back, and what goes to the model. */

import type { FormatName, ModelRequest, Role } from './conversation.ts';
import type { SessionParams, WorkDoneParams } from './message.ts';
import { request } from './message.ts';
import type { ErrorClass, NoRecoveryReason } from './overflow.ts';
import type { CompactionSummary, ContextStats, StageName } from './stats.ts';

/** What one stage of a compaction did. */
export interface StageOutcome {
	stage: StageName;
	/** Whether it saved anything. */
	ran: boolean;
	/** Why it did not run, or did nothing. */
	reason?: string;
	/** Tokens of the history before and after it. */
	tokensBefore: number;
	tokensAfter: number;
	messagesAffected: number;
	/** Of `deduplicate`: files that were read more than once. */
	filesDeduped?: number;
}

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
	| 'not_worth_it'
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

export interface CompactParams extends SessionParams, WorkDoneParams {
	config?: CompactionConfig;
	/** What to keep above all, in the user's words. */
	instructions?: string;
	/** Messages that survive verbatim; of those that are hidden already a warning says that they cannot. */
	preserve?: string[];
	/** Tokens that the history should have afterwards. */
	targetTokens?: number;
	/** Tells what would be done, and does nothing. */
	dryRun?: boolean;
	format?: FormatName;
	includeMessages?: boolean;
	request?: ModelRequest;
}

/** Makes room; null while a session has no messages. */
export const contextCompact = request<CompactParams, CompactResult | null>('context/compact');

export interface UndoParams extends SessionParams {
	/** Absent: the newest step that is not undone. */
	compactionId?: string;
}

export interface UndoResult {
	undone: string[];
	stats: ContextStats | null;
}

/** Takes a compaction, rollback or rewind back, with whatever was built on it. */
export const contextUndo = request<UndoParams, UndoResult>('context/undo');

export interface PrepareParams extends SessionParams, WorkDoneParams {
	request?: ModelRequest;
	format?: FormatName;
}

export interface PrepareResult {
	messages: unknown[];
	/** System text, where the format wants it outside the messages. */
	system?: unknown;
	stats: ContextStats | null;
	compaction: CompactResult | null;
	warnings: string[];
}

/** What to send to the model next; compacts first where that is due. */
export const contextPrepare = request<PrepareParams, PrepareResult>('context/prepare');

export interface RecoverParams extends SessionParams, WorkDoneParams {
	/** The provider's error; or a response whose figures or stop reason tell of an overflow. */
	error: unknown;
	/** Which attempt this is, from 1. */
	attempt?: number;
	request?: ModelRequest;
	format?: FormatName;
}

export interface RecoverResult extends ErrorClass {
	attempt: number;
	compaction?: CompactResult;
	messages?: unknown[];
	system?: unknown;
	warnings?: string[];
	/** Why the request should not be sent again. */
	reasonCode?: NoRecoveryReason;
	/** The same in words, behind the code. */
	reason?: string;
}

/** What to do after a provider's error. */
export const contextRecover = request<RecoverParams, RecoverResult>('context/recover');
