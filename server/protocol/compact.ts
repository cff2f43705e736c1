import type { StageOutcome } from '../core/compact/plan.ts';
import type { CompactionConfig, CompactResult, RemovedMessage } from '../core/compact/result.ts';
import type { ContextStats } from '../core/measure/stats.ts';
import type { NoRecoveryReason } from '../core/overflow/recovery.ts';
import type { FormatName, ModelRequest, SessionParams, WorkDoneParams } from './message.ts';
import { request } from './message.ts';
import type { ErrorClass } from './overflow.ts';

export type { CompactionConfig, CompactResult, NoRecoveryReason, RemovedMessage, StageOutcome };

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
