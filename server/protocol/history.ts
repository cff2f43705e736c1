/** The history: reading, checkpoints, pins and searching. */

import type { FormatName, Role } from './conversation.ts';
import type { RequestDeclaration, SessionParams } from './declaration.ts';
import { declareRequest } from './declare.ts';
import { readingErrors, writingErrors } from './errors.ts';
import type { ContextStats } from './stats.ts';

export interface HistoryParams extends SessionParams {
	/** Format of the messages; by default `contextd`. */
	format?: FormatName;
	/**
	 * Whether to include hidden originals, with the tags of what hides them; only in the `contextd` format, by default
	 * false. The original of a shortened message precedes the shortened form and has the same id. All messages have an id.
	 */
	includeHidden?: boolean;
	/**
	 * Returns only these messages, with the results of their calls and the calls of their results; unknown ids are
	 * ignored. By default all messages.
	 */
	messageIds?: string[];
}

export interface HistoryResult {
	/** The visible messages, in `format`. */
	messages: unknown[];
	/** System text, if the format keeps it outside the messages. */
	system?: unknown;
	/** Increases with every change of the session. */
	version: number;
	/** Content that the format cannot express. */
	warnings?: string[];
}

/** Returns the visible history, valid for the session's provider, without compacting. */
export const contextHistory: RequestDeclaration<HistoryParams, HistoryResult, 'context/history'> =
	declareRequest('context/history', [...readingErrors, 'UnsupportedFormat']);

export interface CheckpointParams extends SessionParams {
	/** Name of the checkpoint, for people. */
	label?: string;
}

export interface CheckpointResult {
	/** The id to pass to `context/rollback`. */
	checkpointId: string;
}

/** Sets a checkpoint. A session keeps five by default (`compaction.maxCheckpoints`); the least recently used is dropped. */
export const contextCheckpoint: RequestDeclaration<CheckpointParams, CheckpointResult, 'context/checkpoint'> =
	declareRequest('context/checkpoint', writingErrors);

/** A checkpoint in a list. */
export interface CheckpointSummary {
	/** The id to pass to `context/rollback`. */
	checkpointId: string;
	/** Name of the checkpoint, for people. */
	label?: string;
	/** When the checkpoint was set. Milliseconds since the epoch. */
	at: number;
	/** Number of messages that were visible at the checkpoint. */
	messageCount: number;
}

export interface CheckpointsResult {
	/** The checkpoints, oldest first. */
	checkpoints: CheckpointSummary[];
}

/** Lists the checkpoints of a session. */
export const contextCheckpoints: RequestDeclaration<SessionParams, CheckpointsResult, 'context/checkpoints'> =
	declareRequest('context/checkpoints', readingErrors);

export interface RollbackParams extends SessionParams {
	/** The id from `context/checkpoint`. */
	checkpointId: string;
}

export interface RollbackResult {
	/** The session's stats afterwards. */
	stats: ContextStats | null;
	/** Ids of messages that are now hidden; they are not deleted. */
	discarded: string[];
}

/** Restores the history of a checkpoint; `context/undo` reverses the rollback. */
export const contextRollback: RequestDeclaration<RollbackParams, RollbackResult, 'context/rollback'> =
	declareRequest('context/rollback', [...writingErrors, 'CheckpointNotFound']);

export interface PinParams extends SessionParams {
	/** Ids of the messages. */
	messageIds?: string[];
	/** Files, as URIs or paths. */
	uris?: string[];
	/** Whether to pin; false unpins. */
	pinned: boolean;
}

export interface PinResult {
	/** Ids of all messages that are pinned afterwards. */
	pinned: string[];
}

/**
 * Pins or unpins messages and files. Compactions keep pinned messages, and the newest read of each pinned file,
 * verbatim.
 */
export const contextPin: RequestDeclaration<PinParams, PinResult, 'context/pin'> = declareRequest(
	'context/pin',
	[...writingErrors, 'MessageNotFound'],
);

export interface OriginalParams extends SessionParams {
	/** Id of the message that a placeholder names, or of a summary or marker itself. */
	messageId: string;
	/** Where the returned part of the text starts, in UTF-16 units; by default 0. */
	offset?: number;
	/** Maximum UTF-16 units to return; by default 50 000. */
	limit?: number;
	/** A literal, case-sensitive text to search for. */
	search?: string;
}

/** An occurrence of the searched text. */
export interface OriginalMatch {
	/** UTF-16 units from the start of the whole text. */
	offset: number;
	/** Line number, from 1. */
	line: number;
	/** The line; if it is long, the 300 UTF-16 units that begin at the match. */
	text: string;
}

export interface OriginalResult {
	/** The requested part. */
	content: string;
	/** Length of the whole text in UTF-16 units. */
	totalChars: number;
	/** Whether more text follows `content`. */
	hasMore: boolean;
	/** For a search: at most fifty matches. */
	matches?: OriginalMatch[];
}

/** Returns what a placeholder or a summary replaced. */
export const contextOriginal: RequestDeclaration<OriginalParams, OriginalResult, 'context/original'> =
	declareRequest('context/original', [...readingErrors, 'MessageNotFound']);

export interface RecallParams {
	/** Id of the session to search; by default all recorded sessions are searched. */
	sessionId?: string;
	/** Words separated by spaces; case does not matter. */
	query: string;
	/** Maximum number of matches, 1 to 100; by default 10. */
	limit?: number;
	/** With `sessionId`: `workspace` searches the recorded sessions of that session's folder instead. */
	scope?: 'session' | 'workspace';
	/** Without `sessionId`: searches only sessions recorded in this folder (URI or path) or below; by default all. */
	workspace?: string;
	/** Searches only recorded sessions of this agent, such as `codex`. */
	agent?: string;
	/** Searches recorded sessions only for messages from this time on. Milliseconds since the epoch. */
	since?: number;
	/** Maximum length of an excerpt from a recorded session, 100 to 4,000 UTF-16 units; by default 300. */
	maxExcerpt?: number;
}

/** A message that contains words of a query. */
export interface RecallMatch {
	/** Id of the message. */
	messageId: string;
	/** The message's role. */
	role: Role;
	/** For a tool result: the name of the tool. */
	toolName?: string;
	/** For a tool result: the file that its call read or changed, as the call named it; absent for several files. */
	path?: string;
	/** When the message was written. Milliseconds since the epoch; absent if unknown. */
	at?: number;
	/**
	 * The part of the text that contains most words of the query, at most 300 UTF-16 units, with marks where text was
	 * left out.
	 */
	excerpt: string;
	/** Whether the message is in the visible history, whole or shortened; false for a recorded session. */
	visible: boolean;
	/** Whether only a shortened or cleared form of the message is visible. */
	shortened?: true;
	/** The compaction, rewind or rollback that hides the message, as an id for `context/undo`. */
	hiddenBy?: string;
	/** With `hiddenBy`: kind of the step that hides the message; `rewind` also for a rollback. */
	hiddenCause?: 'compaction' | 'rewind';
	/** For a recorded session: id of the recording. */
	recordingId?: string;
	/** For a recorded session: name of the agent, such as `codex`. */
	agent?: string;
	/** For a recorded session: name of the agent, for people. */
	label?: string;
	/** For a recorded session: title of the session. */
	title?: string;
	/** For a recorded session: the folder in which the agent worked. */
	folder?: string;
	/** For a recorded session: path of the transcript, which may no longer exist. */
	transcript?: string;
	/** For a recorded session: sequence number of the message's record; later records have higher numbers. */
	seq?: number;
}

export interface RecallResult {
	/** The messages found, best match first. */
	matches: RecallMatch[];
	/** Number of messages that contain any of the words; in recorded sessions, only ranked messages are counted. */
	total: number;
	/** Number of messages that were searched; in recorded sessions, parts of a message are counted separately. */
	searched: number;
	/**
	 * Number of sessions that are still being recorded or indexed, so that some of their messages are not found yet.
	 * The number may grow while the daemon still looks for transcripts.
	 */
	pending?: number;
}

/**
 * Searches a whole session for words, including hidden messages, or all recorded sessions. In recorded sessions, secrets
 * are replaced, and words are also found in other forms. Fails with `SessionNotFound` if nothing is recorded.
 */
export const contextRecall: RequestDeclaration<RecallParams, RecallResult, 'context/recall'> = declareRequest(
	'context/recall',
	[...readingErrors, 'StorageFailed'],
);
