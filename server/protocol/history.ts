/** The history itself: reading it, its checkpoints, its pins. */

import type { FormatName, Role } from './conversation.ts';
import type { RequestDeclaration, SessionParams } from './declaration.ts';
import { readingErrors, writingErrors } from './errors.ts';
import type { ContextStats } from './stats.ts';

export interface HistoryParams extends SessionParams {
	/** By default `contextd`. */
	format?: FormatName;
	/**
	 * Also the originals that are hidden, tagged, in the `contextd` format; by default false. That of a shortened message
	 * stands before it, under the same id.
	 */
	includeHidden?: boolean;
	/**
	 * These messages alone, each call with its results and each result with its call; ids of messages that are not there
	 * are passed over. All messages where absent.
	 */
	messageIds?: string[];
}

export interface HistoryResult {
	/** The visible messages, in `format`. */
	messages: unknown[];
	/** System text, where the format wants it outside the messages. */
	system?: unknown;
	/** Grows with every change of the session. */
	version: number;
	/** What could not be carried over into the format. */
	warnings?: string[];
}

/** What to send to the model, valid for the session's provider; compacts nothing. */
export const contextHistory: RequestDeclaration<HistoryParams, HistoryResult, 'context/history'> = {
	kind: 'request',
	method: 'context/history',
	direction: 'to the daemon',
	since: '0.1.0',
	errors: [...readingErrors, 'UnsupportedFormat'],
};

export interface CheckpointParams extends SessionParams {
	/** What people call it. */
	label?: string;
}

export interface CheckpointResult {
	/** What `context/rollback` takes. */
	checkpointId: string;
}

/** Sets a checkpoint; of more than five, the least recently used goes. */
export const contextCheckpoint: RequestDeclaration<CheckpointParams, CheckpointResult, 'context/checkpoint'> =
	{
		kind: 'request',
		method: 'context/checkpoint',
		direction: 'to the daemon',
		since: '0.1.0',
		errors: writingErrors,
	};

/** A checkpoint as lists show it. */
export interface CheckpointSummary {
	/** What `context/rollback` takes. */
	checkpointId: string;
	/** What people call it. */
	label?: string;
	/** Milliseconds since the epoch. */
	at: number;
	/** Messages that were visible then. */
	messageCount: number;
}

export interface CheckpointsResult {
	/** Oldest first. */
	checkpoints: CheckpointSummary[];
}

/** The checkpoints of a session. */
export const contextCheckpoints: RequestDeclaration<SessionParams, CheckpointsResult, 'context/checkpoints'> =
	{
		kind: 'request',
		method: 'context/checkpoints',
		direction: 'to the daemon',
		since: '0.1.0',
		errors: readingErrors,
	};

export interface RollbackParams extends SessionParams {
	/** As `context/checkpoint` gave it. */
	checkpointId: string;
}

export interface RollbackResult {
	/** The figures afterwards. */
	stats: ContextStats | null;
	/** Messages that left the history; they are hidden, not lost. */
	discarded: string[];
}

/** The history as it was at a checkpoint; `context/undo` takes it back. */
export const contextRollback: RequestDeclaration<RollbackParams, RollbackResult, 'context/rollback'> = {
	kind: 'request',
	method: 'context/rollback',
	direction: 'to the daemon',
	since: '0.1.0',
	errors: [...writingErrors, 'CheckpointNotFound'],
};

export interface PinParams extends SessionParams {
	/** Messages. */
	messageIds?: string[];
	/** Files, as URIs or paths. */
	uris?: string[];
	/** False takes the pins off. */
	pinned: boolean;
}

export interface PinResult {
	/** All messages that are pinned then. */
	pinned: string[];
}

/** Pinned messages survive every stage verbatim; a pinned file keeps its newest read. */
export const contextPin: RequestDeclaration<PinParams, PinResult, 'context/pin'> = {
	kind: 'request',
	method: 'context/pin',
	direction: 'to the daemon',
	since: '0.1.0',
	errors: [...writingErrors, 'MessageNotFound'],
};

export interface OriginalParams extends SessionParams {
	/** The message that a placeholder names, or a summary or marker itself. */
	messageId: string;
	/** UTF-16 units from the start; by default 0. */
	offset?: number;
	/** UTF-16 units at most; by default 50 000. */
	limit?: number;
	/** A literal text to look for; case counts. */
	search?: string;
}

/** Where a text occurs. */
export interface OriginalMatch {
	/** UTF-16 units from the start of the whole text. */
	offset: number;
	/** From 1. */
	line: number;
	/** That line; of a long one 300 UTF-16 units from the match on. */
	text: string;
}

export interface OriginalResult {
	/** The part that was asked for. */
	content: string;
	/** UTF-16 units of the whole. */
	totalChars: number;
	/** There is more behind `content`. */
	hasMore: boolean;
	/** Of a search, at most fifty. */
	matches?: OriginalMatch[];
}

/** What a placeholder or a summary replaced. */
export const contextOriginal: RequestDeclaration<OriginalParams, OriginalResult, 'context/original'> = {
	kind: 'request',
	method: 'context/original',
	direction: 'to the daemon',
	since: '0.1.0',
	errors: [...readingErrors, 'MessageNotFound'],
};

export interface RecallParams extends SessionParams {
	/** Words, separated by blanks; case does not count. */
	query: string;
	/** Matches at most, 1 to 100; by default 10. */
	limit?: number;
}

/** A message that holds words of a query. */
export interface RecallMatch {
	/** The message, as it was appended. */
	messageId: string;
	/** Whose it is. */
	role: Role;
	/** Of a tool's result. */
	toolName?: string;
	/** Milliseconds since the epoch; absent where nobody said when it was. */
	at?: number;
	/** The part of its text in which the most of the words stand, 300 UTF-16 units and a mark at either end at most. */
	excerpt: string;
	/** It stands in the history, whole or shortened. */
	visible: boolean;
	/** The compaction, rewind or rollback that hides it, as `context/undo` takes it. */
	hiddenBy?: string;
}

export interface RecallResult {
	/** Best first. */
	matches: RecallMatch[];
	/** Messages that hold any of the words. */
	total: number;
}

/** Looks words up in the whole session, hidden messages too, without knowing an id. */
export const contextRecall: RequestDeclaration<RecallParams, RecallResult, 'context/recall'> = {
	kind: 'request',
	method: 'context/recall',
	direction: 'to the daemon',
	since: '0.1.0',
	errors: readingErrors,
};
