/** Sessions: opening, appending, changing, closing. */

import type { FormatName, ModelRequest, Usage } from './conversation.ts';
import type { EmptyResult, RequestDeclaration, SessionParams } from './declaration.ts';
import { declareRequest } from './declare.ts';
import { readingErrors, writingErrors } from './errors.ts';
import type { AgentsSettings } from './settingParts.ts';
import type { ContextStats } from './stats.ts';

/** Properties of a session that `session/open` and `session/update` set. */
export interface SessionChange {
	/** The provider, for example `anthropic`; by default derived from the model's name. */
	provider?: string;
	/** The model's id. */
	model?: string;
	/** Title of the session, for people. */
	title?: string;
	/** Size of the window in tokens; by default the model's own. */
	contextWindow?: number;
	/** Maximum tokens of an answer; by default the model's own. */
	maxOutputTokens?: number;
	/** Share of the available tokens at which compaction is due; by default from the settings. */
	threshold?: number;
	/** Share of the history's budget that remains after a compaction; by default from the settings. */
	targetRatio?: number;
}

export interface OpenParams extends SessionChange {
	/** Id of the session; a stored session with this id is resumed. By default a new session gets a new id. */
	sessionId?: string;
	/** Folder of a new session, as a URI; by default the client's first workspace folder. */
	workspace?: string;
	/** Opens a stored session without creating or changing anything; by default false. */
	readOnly?: boolean;
}

/** A position in a session's journal. */
export interface JournalPosition {
	/** Changes if the session is deleted and created again. */
	generation: number;
	/** Number of records up to this position. */
	records: number;
}

export interface OpenResult {
	/** The id to use in all further requests. */
	sessionId: string;
	/** Whether the session is new. */
	created: boolean;
	/** Number of visible messages. */
	messageCount: number;
	/** The provider whose rules apply. */
	provider: string;
	/** The model's id; empty if unknown. */
	model: string;
	/** The history's revision, as in `context/stats`. */
	revision: number;
	/** End of the session's journal. A client can compare it to check whether its own stored data is current. */
	journal: JournalPosition;
	/** Why the session can only be read; absent if it can be written. */
	readOnly?: string;
	/** For a session that an agent's plugin syncs: the settings for plugins. */
	agents?: AgentsSettings;
	/** Present if the journal was damaged, so that the session contains only what was stored before the damage. */
	salvaged?: {
		/** Bytes of the journal that were left out. */
		lostBytes: number;
		/** Path of a copy of the damaged journal. */
		copy: string;
	};
}

/** Opens a session, or resumes it and changes the given properties. */
export const sessionOpen: RequestDeclaration<OpenParams, OpenResult, 'session/open'> = declareRequest(
	'session/open',
	writingErrors,
);

export interface AppendParams extends SessionParams {
	/** Messages in `format`, in order. */
	messages: unknown[];
	/** Format of the messages; by default `contextd`. */
	format?: FormatName;
	/**
	 * Revision of the history to which the usage in `messages` applies; by default the current one. Usage of an
	 * older revision does not correct the token counts.
	 */
	revision?: number;
	/** Whether the result contains the stats; by default false. */
	stats?: boolean;
}

export interface AppendResult {
	/** One id per message, in order. */
	messageIds: string[];
	/** Number of visible messages. */
	messageCount: number;
	/** The session's stats afterwards; only if requested. */
	stats?: ContextStats | null;
}

/**
 * Appends messages, all or none of them, and answers once they are on disk. A message whose id is already stored
 * changes nothing if its content is the same; otherwise it is an error.
 */
export const sessionAppend: RequestDeclaration<AppendParams, AppendResult, 'session/append'> = declareRequest(
	'session/append',
	[...writingErrors, 'UnsupportedFormat'],
);

export interface ReportUsageParams extends SessionParams {
	/** Id of an assistant message. */
	messageId: string;
	/** The usage that the provider reported. */
	usage: Usage;
	/** Why the model stopped, if the message did not say. */
	stopReason?: string;
	/** Revision of the history in the measured request; usage of an older one does not correct the token counts. */
	revision?: number;
}

export interface ReportUsageResult {
	/** The session's stats afterwards. */
	stats: ContextStats | null;
}

/** Reports usage that arrived after its message was appended. */
export const sessionReportUsage: RequestDeclaration<
	ReportUsageParams,
	ReportUsageResult,
	'session/reportUsage'
> = declareRequest('session/reportUsage', [...writingErrors, 'MessageNotFound']);

export interface MessageIdsResult {
	/** Ids of all appended messages in order, also of compacted ones, except those that a rewind or rollback hides. */
	messageIds: string[];
	/** The history's revision, as in `context/stats`. */
	revision: number;
}

/** Lists the messages of a session, so that an agent can compare them after a restart. */
export const sessionMessageIds: RequestDeclaration<SessionParams, MessageIdsResult, 'session/messageIds'> =
	declareRequest('session/messageIds', readingErrors);

/** The part of a stored view, from its start, that stays unchanged. The view must be a text. */
export interface HeldPrefix {
	/** Checksum of the whole stored text, as `session/holdView` returned it. */
	checksum: string;
	/** Length of the unchanged part, in UTF-16 units. */
	units: number;
}

export interface HoldViewParams extends SessionParams {
	/** The view, as any JSON value; null removes the stored view. */
	view: unknown;
	/**
	 * The part of the stored text that stays: the new `view`, a text, is appended to it. If the stored text has another
	 * checksum, the call fails and changes nothing.
	 */
	behind?: HeldPrefix;
	/**
	 * Fingerprints of the conversation at each point on which the view depends, at most 64. Equal marks mean equal
	 * conversations up to that point, so a conversation with one of the marks may inherit the view
	 * (`session/inheritView`). By default none.
	 */
	marks?: string[];
}

export interface HoldViewResult {
	/** The file that contains the view; absent if sessions are kept in memory only. */
	path?: string;
	/** SHA-256 of the file's second line, in hexadecimal digits. */
	checksum?: string;
}

/**
 * Stores a plugin's view of a session in a file, so that the plugin can show the same view after a restart. The file's first line
 * names the session and its last record, with a SHA-256 of the second line. The second line is the view, unchanged.
 */
export const sessionHoldView: RequestDeclaration<HoldViewParams, HoldViewResult, 'session/holdView'> =
	declareRequest('session/holdView', writingErrors);

export interface InheritViewParams extends SessionParams {
	/** Fingerprints of the conversation at each message, as in `session/holdView`; oldest first, at most 10,000. */
	marks: string[];
}

export interface InheritViewResult {
	/** The view that was inherited, unchanged; absent if nothing was inherited. */
	view?: unknown;
}

/**
 * Continues another session in a session without messages, after an agent forked its conversation. Looks for sessions
 * of the same agent and workspace, takes the one whose held view has the newest of `marks`, and copies its messages and
 * steps. The other session does not change, and an undo in one session does not affect the other.
 */
export const sessionInheritView: RequestDeclaration<
	InheritViewParams,
	InheritViewResult,
	'session/inheritView'
> = declareRequest('session/inheritView', writingErrors);

export interface ForkParams extends SessionParams {
	/**
	 * Id of the last message to copy; if the message belongs to a tool batch, the whole batch is copied. By default the
	 * newest message.
	 */
	messageId?: string;
	/** Id of the new session, which must not exist yet; by default the daemon assigns one. */
	newSessionId?: string;
}

/**
 * Starts a new session as a copy of another one up to `messageId`. The copy has the compactions, pins, checkpoints and
 * usage that the other session had just before its next message. Messages are copied as stored, without parsing or
 * counting them again. The other session does not change, and an undo in one session does not affect the other. A fork of
 * a session that mirrors an agent's transcript belongs to contextd and does not follow that transcript.
 */
export const sessionFork: RequestDeclaration<ForkParams, OpenResult, 'session/fork'> = declareRequest(
	'session/fork',
	[...writingErrors, 'MessageNotFound'],
);

export interface RewindParams extends SessionParams {
	/** Id of the last message to keep; if empty, no message is kept. */
	messageId: string;
}

export interface RewindResult {
	/** Ids of messages that are now hidden. */
	hidden: string[];
	/** The session's stats afterwards. */
	stats: ContextStats | null;
}

/** Hides everything after a message; `context/undo` restores the hidden messages. */
export const sessionRewind: RequestDeclaration<RewindParams, RewindResult, 'session/rewind'> = declareRequest(
	'session/rewind',
	[...writingErrors, 'MessageNotFound'],
);

export interface ListParams {
	/** Lists only sessions of this folder (URI or path); by default of every folder. */
	workspace?: string;
	/** Lists only this session and the sub-agents that it started, whose ids begin with its id and a slash. */
	sessionId?: string;
}

/** A session in a list. */
export interface SessionSummary {
	/** The id to pass to `session/open`. */
	sessionId: string;
	/** Folder of the session, as a URI. */
	workspace?: string;
	/** Title of the session, for people. */
	title?: string;
	/** Number of visible messages. */
	messageCount: number;
	/** When the session was created. Milliseconds since the epoch. */
	createdAt: number;
	/** When the session last changed. Milliseconds since the epoch. */
	updatedAt: number;
	/** The provider whose rules apply. */
	provider: string;
	/** The model's id; empty if unknown. */
	model: string;
	/** The agent whose transcript the session mirrors; absent if an agent syncs it directly. */
	source?: string;
	/** Path of the mirrored transcript. */
	transcript?: string;
}

export interface ListResult {
	/** The sessions, newest first. */
	sessions: SessionSummary[];
}

/** Lists the stored sessions, newest first. */
export const sessionList: RequestDeclaration<ListParams, ListResult, 'session/list'> = declareRequest(
	'session/list',
	['StorageFailed'],
);

export interface NewestParams {
	/** A folder, as a URI or a path; by default the client's folders, or its working folder if it has none. */
	workspace?: string;
	/** Considers only sessions of these agents, such as `codex`; by default sessions of all agents and clients. */
	agents?: string[];
}

/** The transcript that a session mirrors. Only the agent itself can compact it. */
export interface MirroredSession {
	/** Name of the agent, for people. */
	label: string;
	/** Path of the transcript. */
	transcript: string;
	/** What the user can do instead of a compaction, for people. */
	advice: string;
}

/** The newest session of a folder. */
export interface NewestSession {
	/** The id to use in all further requests. */
	sessionId: string;
	/** Title of the session, for people. */
	title?: string;
	/** When the session was last active. Milliseconds since the epoch. */
	updatedAt: number;
	/** Present if the session mirrors a transcript; a compaction or an undo would not reach its agent. */
	mirror?: MirroredSession;
}

export interface NewestResult {
	/** The newest session; null if no agent worked in the folders. */
	session: NewestSession | null;
}

/**
 * Finds the session that was active last in a folder: a stored one, or an agent's transcript, which is then followed
 * until the session is closed. To learn of a newer session, call this again.
 */
export const sessionNewest: RequestDeclaration<NewestParams, NewestResult, 'session/newest'> = declareRequest(
	'session/newest',
	[...writingErrors, 'FileUnreadable', 'UnsupportedFormat'],
);

export interface UpdateParams extends SessionParams, SessionChange {
	/** Future model requests except their history. */
	request?: ModelRequest;
}

/** Changes a session's properties, and what its future model requests contain besides the history. */
export const sessionUpdate: RequestDeclaration<UpdateParams, OpenResult, 'session/update'> = declareRequest(
	'session/update',
	writingErrors,
);

/** Releases a session from memory once no request uses it; a later request opens it again. */
export const sessionClose: RequestDeclaration<SessionParams, EmptyResult, 'session/close'> = declareRequest(
	'session/close',
	readingErrors,
);

/** Removes a session from memory and disk permanently. */
export const sessionDelete: RequestDeclaration<SessionParams, EmptyResult, 'session/delete'> = declareRequest(
	'session/delete',
	writingErrors,
);
