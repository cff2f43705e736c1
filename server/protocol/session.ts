/** Sessions: opening, feeding, changing, ending. */

import type { FormatName, ModelRequest, Usage } from './conversation.ts';
import type { EmptyResult, RequestDeclaration, SessionParams } from './declaration.ts';
import { readingErrors, writingErrors } from './errors.ts';
import type { AgentsSettings } from './settings.ts';
import type { ContextStats } from './stats.ts';

/** What may be said of a session when it is opened or changed. */
export interface SessionChange {
	/** For example `anthropic`; by the model's name where nobody says. */
	provider?: string;
	/** The model's id. */
	model?: string;
	/** What people call the session. */
	title?: string;
	/** Tokens; the model's own where nobody says. */
	contextWindow?: number;
	/** Tokens that an answer may take; the model's own where nobody says. */
	maxOutputTokens?: number;
}

export interface OpenParams extends SessionChange {
	/** Assigned where absent; an id that exists resumes what is stored. */
	sessionId?: string;
	/** A folder, as a URI; of a new session, the client's first where absent. */
	workspace?: string;
	/** Opens a stored session as it is: creates nothing and changes nothing; by default false. */
	readOnly?: boolean;
}

/** A place in a session's journal. */
export interface JournalPosition {
	/** Differs where the session was made anew. */
	generation: number;
	/** Records up to there. */
	records: number;
}

export interface OpenResult {
	/** What all further requests name. */
	sessionId: string;
	/** It was not there before. */
	created: boolean;
	/** Visible messages. */
	messageCount: number;
	/** Whose rules hold. */
	provider: string;
	/** The model's id; empty where nobody said. */
	model: string;
	/** As in `context/stats`. */
	revision: number;
	/** The journal behind it: what stands beside it, such as a view that is held, can be told to be of it. */
	journal: JournalPosition;
	/** Why nothing can be written to the session here; absent if it can be written. */
	readOnly?: string;
	/** Of a session that an agent's plugin feeds: what is set for plugins. */
	agents?: AgentsSettings;
	/** The journal was found damaged when it was opened: the session holds what was stored before the damage. */
	salvaged?: {
		/** Bytes of the journal that were left out. */
		lostBytes: number;
		/** The path of the journal as it was found. */
		copy: string;
	};
}

/** Opens a session, or resumes one; what is said of an existing one changes it. */
export const sessionOpen: RequestDeclaration<OpenParams, OpenResult, 'session/open'> = {
	kind: 'request',
	method: 'session/open',
	direction: 'to the daemon',
	since: '0.1.0',
	errors: writingErrors,
};

export interface AppendParams extends SessionParams {
	/** Messages in `format`, in order. */
	messages: unknown[];
	/** By default `contextd`. */
	format?: FormatName;
	/**
	 * The revision of the history that the requests showed whose usage the messages state; figures of an older one anchor
	 * nothing. The present one if absent.
	 */
	revision?: number;
	/** Whether the result includes the figures; by default false. */
	stats?: boolean;
}

export interface AppendResult {
	/** One a message, in order. */
	messageIds: string[];
	/** Visible messages. */
	messageCount: number;
	/** The figures afterwards; only if they were asked for. */
	stats?: ContextStats | null;
}

/**
 * Adds messages; answered once they are on disk; all of them or none. An id that is there already with the same
 * content changes nothing; with other content it is an error.
 */
export const sessionAppend: RequestDeclaration<AppendParams, AppendResult, 'session/append'> = {
	kind: 'request',
	method: 'session/append',
	direction: 'to the daemon',
	since: '0.1.0',
	errors: [...writingErrors, 'UnsupportedFormat'],
};

export interface ReportUsageParams extends SessionParams {
	/** Of an assistant message. */
	messageId: string;
	/** As the provider reported it. */
	usage: Usage;
	/** Why the model ended, where that was not known before. */
	stopReason?: string;
	/** The revision of the history that the measured request showed; a figure of an older one anchors nothing. */
	revision?: number;
}

export interface ReportUsageResult {
	/** The figures afterwards. */
	stats: ContextStats | null;
}

/** Usage figures that arrived after the message they belong to. */
export const sessionReportUsage: RequestDeclaration<
	ReportUsageParams,
	ReportUsageResult,
	'session/reportUsage'
> = {
	kind: 'request',
	method: 'session/reportUsage',
	direction: 'to the daemon',
	since: '0.1.0',
	errors: [...writingErrors, 'MessageNotFound'],
};

export interface MessageIdsResult {
	/** Of all messages that were appended and have not left by a rewind or rollback, in order, compacted or not. */
	messageIds: string[];
	/** As in `context/stats`. */
	revision: number;
}

/** Which messages a session has: what an agent compares with after a restart. */
export const sessionMessageIds: RequestDeclaration<SessionParams, MessageIdsResult, 'session/messageIds'> = {
	kind: 'request',
	method: 'session/messageIds',
	direction: 'to the daemon',
	since: '0.1.0',
	errors: readingErrors,
};

/** The beginning of a held view that is a text. */
export interface HeldBeginning {
	/** That of the whole text that is held, as `session/holdView` answered it. */
	checksum: string;
	/** UTF-16 units of it that stay. */
	units: number;
}

export interface HoldViewParams extends SessionParams {
	/** Any JSON value; null removes what is held. */
	view: unknown;
	/** What the view, a text, goes on behind. Where another one is held, the call fails, and nothing is changed. */
	behind?: HeldBeginning;
	/**
	 * Marks of the places on which the view depends, at most 64: a conversation with one of them may inherit the view
	 * (`session/inheritView`). Equal marks mean equal conversations up to that place. None if absent.
	 */
	marks?: string[];
}

export interface HoldViewResult {
	/** The file that holds it; absent where sessions are kept in memory alone. */
	path?: string;
	/** SHA-256 of the file's second line, in hexadecimal digits. */
	checksum?: string;
}

/**
 * Keeps what a plugin shows of a session in a file, so that it can show the same after a restart: one line that says of
 * which session and up to which record, with a SHA-256 of the second, which is the view as it came.
 */
export const sessionHoldView: RequestDeclaration<HoldViewParams, HoldViewResult, 'session/holdView'> = {
	kind: 'request',
	method: 'session/holdView',
	direction: 'to the daemon',
	since: '0.1.0',
	errors: writingErrors,
};

export interface InheritViewParams extends SessionParams {
	/** The marks of the conversation's messages, oldest first, at most 10,000. */
	marks: string[];
}

export interface InheritViewResult {
	/** The other session's view, as it was held; absent if nothing was inherited. */
	view?: unknown;
}

/**
 * Continues another session in a session without messages, if the agent forked its conversation: copies the messages
 * and steps of the session whose held view has the newest of these marks, of the same agent and the same workspace.
 * That session does not change. Undo works in each of them on its own.
 */
export const sessionInheritView: RequestDeclaration<
	InheritViewParams,
	InheritViewResult,
	'session/inheritView'
> = {
	kind: 'request',
	method: 'session/inheritView',
	direction: 'to the daemon',
	since: '0.1.0',
	errors: writingErrors,
};

export interface ForkParams extends SessionParams {
	/** The last message that the new session has; a tool batch stays whole. The newest message if absent. */
	messageId?: string;
	/** Id of the new session, which must not exist yet; assigned if absent. */
	newSessionId?: string;
}

/**
 * Starts a new session from the beginning of another one, which does not change: the session as it was before the
 * message after `messageId` came, with the compactions, pins, checkpoints and usage figures of that time. Messages are
 * copied as they are stored, and neither parsed nor counted again. Undo works in each of the two on its own. A fork of a
 * session that mirrors an agent's transcript is contextd's own session and does not follow that transcript.
 */
export const sessionFork: RequestDeclaration<ForkParams, OpenResult, 'session/fork'> = {
	kind: 'request',
	method: 'session/fork',
	direction: 'to the daemon',
	since: '0.1.0',
	errors: [...writingErrors, 'MessageNotFound'],
};

export interface RewindParams extends SessionParams {
	/** The message that stays as the last; none stays where it is empty. */
	messageId: string;
}

export interface RewindResult {
	/** Messages that left the history. */
	hidden: string[];
	/** The figures afterwards. */
	stats: ContextStats | null;
}

/** Everything after a message leaves the history; `context/undo` brings it back. */
export const sessionRewind: RequestDeclaration<RewindParams, RewindResult, 'session/rewind'> = {
	kind: 'request',
	method: 'session/rewind',
	direction: 'to the daemon',
	since: '0.1.0',
	errors: [...writingErrors, 'MessageNotFound'],
};

export interface ListParams {
	/** A folder, as a URI or a path; sessions of every folder where absent. */
	workspace?: string;
	/** A session's id: that session alone, and those of the agents that it started, whose ids begin with it and a slash. */
	sessionId?: string;
}

/** A session as lists show it. */
export interface SessionSummary {
	/** What `session/open` takes. */
	sessionId: string;
	/** A folder, as a URI. */
	workspace?: string;
	/** What people call it. */
	title?: string;
	/** Visible messages. */
	messageCount: number;
	/** Milliseconds since the epoch. */
	createdAt: number;
	/** Milliseconds since the epoch. */
	updatedAt: number;
	/** Whose rules hold. */
	provider: string;
	/** The model's id; empty where nobody said. */
	model: string;
	/** The agent whose transcript the session mirrors; absent where an agent feeds it. */
	source?: string;
	/** That transcript's path. */
	transcript?: string;
}

export interface ListResult {
	/** Newest first. */
	sessions: SessionSummary[];
}

/** The sessions that are stored, newest first. */
export const sessionList: RequestDeclaration<ListParams, ListResult, 'session/list'> = {
	kind: 'request',
	method: 'session/list',
	direction: 'to the daemon',
	since: '0.1.0',
	errors: ['StorageFailed'],
};

export interface UpdateParams extends SessionParams, SessionChange {
	/** What surrounds the history in the calls to come. */
	request?: ModelRequest;
}

/** Changes what is known of a session, and what surrounds its history in the calls to come. */
export const sessionUpdate: RequestDeclaration<UpdateParams, OpenResult, 'session/update'> = {
	kind: 'request',
	method: 'session/update',
	direction: 'to the daemon',
	since: '0.1.0',
	errors: writingErrors,
};

/** Lets a session go from memory, once those who use it are done; a request that names it opens it again. */
export const sessionClose: RequestDeclaration<SessionParams, EmptyResult, 'session/close'> = {
	kind: 'request',
	method: 'session/close',
	direction: 'to the daemon',
	since: '0.1.0',
	errors: readingErrors,
};

/** Removes a session from memory and disk, for good. */
export const sessionDelete: RequestDeclaration<SessionParams, EmptyResult, 'session/delete'> = {
	kind: 'request',
	method: 'session/delete',
	direction: 'to the daemon',
	since: '0.1.0',
	errors: writingErrors,
};
