/** The recorder, which stores the transcripts of all agents on this machine if the user consents. */

import type { Role } from './conversation.ts';
import type { EmptyResult, RequestDeclaration } from './declaration.ts';
import { declareRequest } from './declare.ts';

export interface RecorderSettings {
	/** Whether transcripts are recorded. */
	recording: boolean;
	/** Maximum bytes of the archive; above this size, the oldest recordings that are not pinned are removed. */
	maxBytes: number;
	/** Days after which a recording that is not pinned is removed, counted from its last record. */
	maxDays: number;
	/** Absolute paths of folders; sessions in these folders or below are not recorded. */
	excludedFolders: string[];
}

export interface RecorderStatus extends RecorderSettings {
	/** The folder in which the recorder stores everything. */
	folder: string;
	/** Number of recordings. */
	recordings: number;
	/** Bytes of the archive on the disk. */
	bytes: number;
	/** Why nothing can be recorded at the moment; absent if there is no problem. */
	problem?: string;
	/** Why the system refuses to watch folders; new transcripts are then found minutes later. Absent if it watches them. */
	watchRefusal?: string;
	/** Number of transcripts that were found and are not completely recorded yet; absent if all are. */
	unread?: number;
}

/** Changes of the settings; absent members stay unchanged. */
export type RecorderSetParams = Partial<RecorderSettings>;

export interface RecorderSessionsParams {
	/** Lists only sessions in this folder (URI or path) or below; by default all. */
	workspace?: string;
	/** Lists only sessions of this agent, such as `codex`; by default all. */
	agent?: string;
	/** Lists only recordings with a record from this time or later. Milliseconds since the epoch. */
	since?: number;
	/** Maximum number of recordings, 1 to 10,000; by default 100. */
	limit?: number;
	/**
	 * Lists the sub-agents of this recording: its id, the agent's id of the session, or the path of the transcript. By
	 * default only sessions that are not sub-agents.
	 */
	parent?: string;
}

/** One recorded transcript. */
export interface RecordedSession {
	/** A short id, which does not change. */
	recordingId: string;
	/** Name of the agent that wrote the transcript, such as `codex`. */
	agent: string;
	/** Name of the agent, for people. */
	label: string;
	/** Path of the transcript, which its agent may have removed. */
	path: string;
	/** The agent's own id of the session. */
	sessionId?: string;
	/** For a sub-agent, or for a file with a tool's output: the agent's id of the main session. */
	parent?: string;
	/** The agent's title of the conversation, or the first user message. */
	title?: string;
	/** The folder in which the agent worked. */
	folder?: string;
	/** Time of the first record. Milliseconds since the epoch. */
	startedAt?: number;
	/** Time of the newest record. Milliseconds since the epoch. */
	updatedAt: number;
	/** Whether the recording is pinned, so that it is never removed to save space. */
	pinned: boolean;
	/** Number of records. */
	entries: number;
	/** Bytes of the records before compression. */
	bytes: number;
}

export interface RecorderSessionsResult {
	/** The recordings; those that changed last come first. */
	sessions: RecordedSession[];
}

export interface RecorderPinParams {
	/** Id of the recording or a unique prefix of it, the agent's id of the session, or the transcript's path. */
	recordingId: string;
	/** Whether to pin the recording; false unpins it. */
	pinned: boolean;
}

export interface RecorderForgetParams {
	/** Erases this recording: its id, the agent's id of the session, or the path of the transcript. */
	recordingId?: string;
	/** Instead of `recordingId`: erases every record that contains this text, in all recordings. */
	containing?: string;
	/** Reports what would be erased without erasing it; by default false. */
	dryRun?: boolean;
}

/** An erased session that contextd itself stored. */
export interface ForgottenSession {
	/** Id of the session. */
	sessionId: string;
	/** Title of the session, for people. */
	title?: string;
	/** Number of visible messages. */
	messageCount: number;
}

/** What was erased, or would be erased in a dry run. */
export interface RecorderForgetResult {
	/** The recordings from which something was erased. */
	sessions: RecordedSession[];
	/** Number of erased records. */
	entries: number;
	/** contextd's own sessions that had the same conversation or contained the text. Each was erased completely. */
	stored: ForgottenSession[];
	/** Number of other files in the state folder that were erased: views, whole outputs, summaries of files. */
	files: number;
	/** Paths of transcripts that still exist. They belong to their agents, and contextd does not erase them. */
	remaining: string[];
}

export interface RecorderMessagesParams {
	/** Id of the recording or a unique prefix of it, the agent's id of the session, or the transcript's path. */
	recordingId: string;
	/** Id of the message, as `context/recall` returns it. */
	messageId: string;
	/** Number of messages before this one to return as well, 0 to 50; by default 0. */
	before?: number;
	/** Number of messages after this one to return as well, 0 to 50; by default 0. */
	after?: number;
	/** Where each returned text starts, in UTF-16 units; by default 0. */
	offset?: number;
	/** Maximum length of each returned text, in UTF-16 units; by default 50,000. */
	limit?: number;
}

/** A message of a recording, with its secrets replaced. */
export interface RecordedMessage {
	/** Id of the message. */
	messageId: string;
	/** Sequence number of the message's record in the recording; later records have higher numbers. */
	seq: number;
	/** The message's role. */
	role: Role;
	/** For a tool result: the name of the tool. */
	toolName?: string;
	/** For a tool result: the file that its call read or changed. */
	path?: string;
	/** When the message was written. Milliseconds since the epoch; absent if unknown. */
	at?: number;
	/** Text of the message's content and calls. */
	text: string;
	/** Length of the whole text, in UTF-16 units. */
	totalChars: number;
}

export interface RecorderMessagesResult {
	/** The recording. */
	session: RecordedSession;
	/** The messages, in the order of the recording. */
	messages: RecordedMessage[];
}

/** Describes what the recorder does and has stored. */
export const recorderStatus: RequestDeclaration<EmptyResult, RecorderStatus, 'recorder/status'> =
	declareRequest('recorder/status', ['StorageFailed']);

/**
 * Starts or stops recording, or changes its limits. The caller must have asked the user first. While sessions are
 * recorded, the daemon stays alive without clients.
 */
export const recorderSet: RequestDeclaration<RecorderSetParams, RecorderStatus, 'recorder/set'> =
	declareRequest('recorder/set', ['StorageFailed']);

/** Lists recordings. */
export const recorderSessions: RequestDeclaration<
	RecorderSessionsParams,
	RecorderSessionsResult,
	'recorder/sessions'
> = declareRequest('recorder/sessions', ['StorageFailed']);

/** Pins a recording, so that it is never removed to save space, or unpins it. */
export const recorderPin: RequestDeclaration<RecorderPinParams, RecordedSession, 'recorder/pin'> =
	declareRequest('recorder/pin', ['SessionNotFound', 'StorageFailed']);

/**
 * Erases a recording, or all records that contain a text, so that no byte of them remains. If a text is given,
 * everything that agents have written until now is recorded first, because the text could otherwise be recorded
 * again.
 */
export const recorderForget: RequestDeclaration<
	RecorderForgetParams,
	RecorderForgetResult,
	'recorder/forget'
> = declareRequest('recorder/forget', ['SessionNotFound', 'StorageFailed']);

/** Reads a message of a recording and the messages around it, from the search index. */
export const recorderMessages: RequestDeclaration<
	RecorderMessagesParams,
	RecorderMessagesResult,
	'recorder/messages'
> = declareRequest('recorder/messages', ['SessionNotFound', 'MessageNotFound', 'StorageFailed']);

export interface ReadRecordingParams {
	/** Id of the recording or a unique prefix of it, the agent's id of the session, or the transcript's path. */
	recording: string;
	/** Sequence number of the first record to return; by default 0. */
	fromSeq?: number;
}

/** One record of a transcript, as it was in the file. */
export interface ReadEntry {
	/** Sequence number of the record: later records have higher numbers, and those of erased records are missing. */
	seq: number;
	/** When the record was written; estimated if it contains no time. Milliseconds since the epoch. */
	at: number;
	/** JSON text of the record. */
	text: string;
}

export interface ReadRecordingResult {
	/** The recording. */
	recording: RecordedSession;
	/** The next records, about a megabyte; empty at the end. */
	entries: ReadEntry[];
}

/** Reads a recording in parts, from its first record, including records that the agent has removed from the transcript. */
export const recorderRead: RequestDeclaration<ReadRecordingParams, ReadRecordingResult, 'recorder/read'> =
	declareRequest('recorder/read', ['SessionNotFound', 'StorageFailed']);
