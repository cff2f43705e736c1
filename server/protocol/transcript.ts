/** Other agents' transcripts, and histories as files. */

import type { CompactResult } from './compact.ts';
import type { FormatName } from './conversation.ts';
import type { SessionParams, WorkDoneParams } from './message.ts';
import { request } from './message.ts';

/** What a history can be written as: a provider's messages, or a session that an agent starts from. */
export type ExportFormat = FormatName | 'claude-code' | 'pi';

export interface Transcript {
	path: string;
	/** Whose it is. */
	agent: string;
	title?: string;
	/** Bytes. */
	size: number;
	/** Milliseconds since the epoch. */
	updatedAt: number;
	/** The session that follows it. */
	sessionId?: string;
}

/** Transcripts on this machine that belong to the workspace, newest first. */
export const contextDiscover = request<{ workspace?: string }, { transcripts: Transcript[] }>(
	'context/discover',
);

export interface ImportParams extends WorkDoneParams {
	path: string;
	sessionId?: string;
	workspace?: string;
	/** Keeps the session current as the file grows. */
	follow?: boolean;
}

export interface ImportResult {
	sessionId: string;
	/** The agent that wrote the transcript. */
	source: string;
	messageCount: number;
	/** Record types that were not understood, with how many there were. */
	skipped: { type: string; count: number }[];
}

/** Makes a session of a known agent's transcript. */
export const contextImport = request<ImportParams, ImportResult>('context/import');

export interface ExportParams extends SessionParams, WorkDoneParams {
	format: ExportFormat;
	/** Tokens that the history should have afterwards. */
	targetTokens?: number;
	/** The folder that an agent starts from the file in, as a path; that of the session where absent. */
	cwd?: string;
}

export interface ExportResult {
	/** What to write to a file. */
	text: string;
	/** Messages in it. */
	messageCount: number;
	/** Of an agent's session file: the id that it gives itself. */
	agentSessionId?: string;
	/** What the compaction did; null where there are no messages. */
	compaction: CompactResult | null;
	/** What could not be carried over into the format. */
	warnings?: string[];
}

/** The history as a compaction would leave it, for a provider or an agent; the session stays as it is. */
export const contextExport = request<ExportParams, ExportResult>('context/export');
