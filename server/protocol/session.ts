/** Sessions: opening, feeding, changing, ending. */

import type { FormatName, ModelRequest, Usage } from './conversation.ts';
import type { SessionParams } from './message.ts';
import { request } from './message.ts';
import type { ContextStats } from './stats.ts';

/** A session as lists show it. */
export interface SessionSummary {
	sessionId: string;
	workspace?: string;
	title?: string;
	/** Visible messages. */
	messageCount: number;
	/** Milliseconds since the epoch. */
	createdAt: number;
	/** Milliseconds since the epoch. */
	updatedAt: number;
	provider: string;
	model: string;
	/** The agent whose transcript the session mirrors; absent where an agent feeds it. */
	source?: string;
	/** That transcript's path. */
	transcript?: string;
}

export interface OpenParams {
	/** Assigned where absent; an id that exists resumes what is stored. */
	sessionId?: string;
	/** A folder, as a URI. */
	workspace?: string;
	provider?: string;
	model?: string;
	title?: string;
	/** Tokens. */
	contextWindow?: number;
	/** Tokens. */
	maxOutputTokens?: number;
	/** Follows a session that another process holds, without writing. */
	readOnly?: boolean;
}

export interface OpenResult {
	sessionId: string;
	created: boolean;
	/** Visible messages. */
	messageCount: number;
	provider: string;
	model: string;
}

/** Opens a session, or resumes one. */
export const sessionOpen = request<OpenParams, OpenResult>('session/open');

export interface AppendParams extends SessionParams {
	messages: unknown[];
	format?: FormatName;
}

export interface AppendResult {
	/** One a message, in order. */
	messageIds: string[];
	/** Visible messages. */
	messageCount: number;
}

/** Adds messages; answered once they are on disk; all of them or none. */
export const sessionAppend = request<AppendParams, AppendResult>('session/append');

export interface ReportUsageParams extends SessionParams {
	messageId: string;
	usage: Usage;
	stopReason?: string;
}

/** Usage figures that arrived after the message they belong to. */
export const sessionReportUsage = request<ReportUsageParams, { stats: ContextStats | null }>(
	'session/reportUsage',
);

export interface RewindParams extends SessionParams {
	messageId: string;
}

export interface RewindResult {
	/** Messages that left the history. */
	hidden: string[];
	stats: ContextStats | null;
}

/** Everything after a message leaves the history; `context/undo` brings it back. */
export const sessionRewind = request<RewindParams, RewindResult>('session/rewind');

/** The sessions that are stored, newest first. */
export const sessionList = request<{ workspace?: string }, { sessions: SessionSummary[] }>('session/list');

export interface UpdateParams extends SessionParams {
	provider?: string;
	model?: string;
	title?: string;
	/** Tokens. */
	contextWindow?: number;
	/** Tokens. */
	maxOutputTokens?: number;
	/** What surrounds the history in the calls to come. */
	request?: ModelRequest;
}

export const sessionUpdate = request<UpdateParams, OpenResult>('session/update');

export const sessionClose = request<SessionParams, Record<string, never>>('session/close');

/** Removes a session from memory and disk, for good. */
export const sessionDelete = request<SessionParams, Record<string, never>>('session/delete');
