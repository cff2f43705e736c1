/** The history itself: reading it, its checkpoints, its pins. */

import type { FormatName } from './conversation.ts';
import type { SessionParams } from './message.ts';
import { request } from './message.ts';
import type { ContextStats } from './stats.ts';

export interface HistoryParams extends SessionParams {
	format?: FormatName;
	/** Also the originals that are hidden, tagged, in the `contextd` format. */
	includeHidden?: boolean;
}

export interface HistoryResult {
	messages: unknown[];
	/** System text, where the format wants it outside the messages. */
	system?: unknown;
	/** Grows with every change of the session. */
	version: number;
	/** What could not be carried over into the format. */
	warnings?: string[];
}

/** What to send to the model. */
export const contextHistory = request<HistoryParams, HistoryResult>('context/history');

export interface CheckpointParams extends SessionParams {
	label?: string;
}

export const contextCheckpoint = request<CheckpointParams, { checkpointId: string }>('context/checkpoint');

export interface CheckpointSummary {
	checkpointId: string;
	label?: string;
	/** Milliseconds since the epoch. */
	at: number;
	/** Messages that were visible then. */
	messageCount: number;
}

export const contextCheckpoints = request<SessionParams, { checkpoints: CheckpointSummary[] }>(
	'context/checkpoints',
);

export interface RollbackParams extends SessionParams {
	checkpointId: string;
}

export interface RollbackResult {
	stats: ContextStats | null;
	/** Messages that left the history; they are hidden, not lost. */
	discarded: string[];
}

/** The history as it was at a checkpoint; `context/undo` takes it back. */
export const contextRollback = request<RollbackParams, RollbackResult>('context/rollback');

export interface PinParams extends SessionParams {
	messageIds?: string[];
	uris?: string[];
	pinned: boolean;
}

/** Pinned messages survive every stage verbatim; a pinned file keeps its newest read. */
export const contextPin = request<PinParams, { pinned: string[] }>('context/pin');

export interface OriginalParams extends SessionParams {
	messageId: string;
	/** UTF-16 units. */
	offset?: number;
	/** UTF-16 units. */
	limit?: number;
	/** A literal text to look for. */
	search?: string;
}

export interface OriginalResult {
	content: string;
	totalChars: number;
	hasMore: boolean;
	matches?: { offset: number; line: number; text: string }[];
}

/** What a placeholder or a summary replaced. */
export const contextOriginal = request<OriginalParams, OriginalResult>('context/original');
