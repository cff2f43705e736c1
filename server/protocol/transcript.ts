/** Other agents' transcripts, and histories as files. */

import type { WorkDoneProgressParams } from 'vscode-languageserver-protocol';
import type { CompactResult } from './compact.ts';
import type { FormatName } from './conversation.ts';
import type { RequestDeclaration, SessionParams } from './declaration.ts';
import { compactingErrors, readingErrors, writingErrors } from './errors.ts';

export interface DiscoverParams {
	/** A folder, as a URI or a path; the client's first where absent, and every folder where it has none. */
	workspace?: string;
	/** Whether it is told how full each of them is, which is read from their ends; by default false. */
	usage?: boolean;
}

/** How full the context of a transcript is, about. Tokens. */
export interface TranscriptUsage {
	/** What the next request holds. */
	tokens: number;
	/** Where the agent makes room, or its window. */
	limit: number;
	/** The model that answered last; absent where the transcript does not tell. */
	model?: string;
}

/** A transcript that was found on this machine. */
export interface Transcript {
	/** What `context/import` takes. */
	path: string;
	/** Whose it is. */
	agent: string;
	/** That agent, as people call it. */
	label: string;
	/** What the agent, or its first user message, calls it. */
	title?: string;
	/** Bytes. */
	size: number;
	/** Milliseconds since the epoch. */
	updatedAt: number;
	/** When its first message came, in milliseconds since the epoch; absent where it does not tell. */
	startedAt?: number;
	/** Absent where it was not asked for, or is not known. */
	usage?: TranscriptUsage;
	/** The session that follows it. */
	sessionId?: string;
}

export interface DiscoverResult {
	/** Newest first. */
	transcripts: Transcript[];
}

/** Transcripts on this machine that belong to the workspace. */
export const contextDiscover: RequestDeclaration<DiscoverParams, DiscoverResult, 'context/discover'> = {
	kind: 'request',
	method: 'context/discover',
	direction: 'to the daemon',
	since: '0.1.0',
	errors: ['FileUnreadable'],
};

/** Which messages of an import are counted as the estimator says. */
export type Counting = 'all' | 'tail';

/** Where a session that an import makes begins. */
export type ImportStart = 'start' | 'window';

export interface ImportParams extends WorkDoneProgressParams {
	/** A path, or a `file:` URI. */
	path: string;
	/** Derived from the agent and the path where absent, so that the same transcript is the same session. */
	sessionId?: string;
	/** A folder, as a URI; the one that the transcript names where absent. */
	workspace?: string;
	/** Keeps the session current as the transcript grows, until the session is closed; by default false. */
	follow?: boolean;
	/**
	 * Which messages are counted as the estimator says: `all`, or the `tail` behind the newest usage figure alone,
	 * where the others are counted by the calibrated estimate. That is many times as fast, and good for a look; by
	 * default `all`.
	 */
	counting?: Counting;
	/**
	 * Where a session that is not there yet begins: at the transcript's `start`, or with what may still be in the model's
	 * `window`. Then what the agent compacted away before its last compaction or took back, and of an agent that never
	 * compacted what is older than any prompt that was answered can have held, is passed over: it is neither seen nor
	 * brought back, until another import makes the session whole. Of a long transcript that is nearly all, and good for a
	 * look; not together with `follow`. By default `start`.
	 */
	from?: ImportStart;
}

/** Records of one type that were not understood. */
export interface SkippedRecords {
	/** As the transcript names it. */
	type: string;
	/** How many there were. */
	count: number;
}

export interface ImportResult {
	/** The session that mirrors the transcript. */
	sessionId: string;
	/** The agent that wrote the transcript. */
	source: string;
	/** That agent, as people call it. */
	label: string;
	/** Visible messages. */
	messageCount: number;
	/** What the daemon did not understand and left out. */
	skipped: SkippedRecords[];
}

/** Makes a session of a known agent's transcript, or brings the one that was made of it up to date. */
export const contextImport: RequestDeclaration<ImportParams, ImportResult, 'context/import'> = {
	kind: 'request',
	method: 'context/import',
	direction: 'to the daemon',
	since: '0.1.0',
	errors: [...writingErrors, 'FileUnreadable', 'UnsupportedFormat'],
};

/** What a history can be written as: a provider's messages, or a session that an agent starts from. */
export type ExportFormat = FormatName | 'claude-code' | 'pi';

export interface ExportParams extends SessionParams, WorkDoneProgressParams {
	/** What to write. */
	format: ExportFormat;
	/** Tokens that the history should have; by default those of a compaction. */
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
export const contextExport: RequestDeclaration<ExportParams, ExportResult, 'context/export'> = {
	kind: 'request',
	method: 'context/export',
	direction: 'to the daemon',
	since: '0.1.0',
	errors: [...readingErrors, ...compactingErrors, 'UnsupportedFormat'],
};
