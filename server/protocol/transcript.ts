/** Other agents' transcripts, and exported histories. */

import type { WorkDoneProgressParams } from 'vscode-languageserver-protocol';
import type { CompactResult } from './compact.ts';
import type { FormatName } from './conversation.ts';
import type { RequestDeclaration, SessionParams } from './declaration.ts';
import { declareRequest } from './declare.ts';
import { compactingErrors, readingErrors, writingErrors } from './errors.ts';
import type { FreeSelection } from './sources.ts';

export interface DiscoverParams {
	/** A folder, as a URI or a path; by default the client's first folder, or every folder if the client has none. */
	workspace?: string;
	/** Whether to read from the end of each transcript how full its window is; by default false. */
	usage?: boolean;
}

/** Approximately how full the context of a transcript is. Tokens. */
export interface TranscriptUsage {
	/** Tokens of the next request. */
	tokens: number;
	/** The point at which the agent compacts, or its window. */
	limit: number;
	/** The model that answered last; absent if the transcript does not contain it. */
	model?: string;
	/** Set if `tokens` or `limit` may be wrong: the provider reported no tokens, or the window's size is unknown. */
	isGuess?: true;
}

/** A transcript that was found on this machine. */
export interface Transcript {
	/** The path to pass to `context/import`. */
	path: string;
	/** The agent that wrote the transcript. */
	agent: string;
	/** Name of that agent, for people. */
	label: string;
	/** The agent's title of the conversation, or the first user message. */
	title?: string;
	/** Size in bytes. */
	size: number;
	/** When the file changed last. Milliseconds since the epoch. */
	updatedAt: number;
	/** Time of the newest record in milliseconds since the epoch, at most `updatedAt`; absent if unknown. */
	lastActivityAt?: number;
	/** Time of the first message in milliseconds since the epoch; absent if unknown. */
	startedAt?: number;
	/** Path of the original, if this transcript is a compacted copy that `context/export` wrote. */
	copyOf?: string;
	/** How full the window is; absent if not requested or unknown. */
	usage?: TranscriptUsage;
	/** Id of the session that follows this transcript. */
	sessionId?: string;
}

export interface DiscoverResult {
	/** The transcripts, newest first, by `lastActivityAt`, otherwise by `updatedAt`. */
	transcripts: Transcript[];
}

/** Finds transcripts on this machine that belong to the workspace. */
export const contextDiscover: RequestDeclaration<DiscoverParams, DiscoverResult, 'context/discover'> =
	declareRequest('context/discover', ['FileUnreadable']);

/** Which messages of an import the configured estimator counts. */
export type Counting = 'all' | 'tail';

/** Beginning of a session that an import creates. */
export type ImportStart = 'start' | 'window';

export interface ImportParams extends WorkDoneProgressParams {
	/** The transcript, as a path or a `file:` URI. */
	path: string;
	/**
	 * Id of the session; by default derived from the agent and the path, so that a transcript always has the same
	 * session.
	 */
	sessionId?: string;
	/** Folder of the session, as a URI; by default the folder in the transcript. */
	workspace?: string;
	/** Whether to update the session as the transcript grows, until it is closed; by default false. */
	follow?: boolean;
	/**
	 * `all`: the configured estimator counts all messages. `tail`: it counts only messages after the newest reported usage,
	 * and the calibrated estimate counts the others, which is many times faster and accurate enough for a display. By
	 * default `all`.
	 */
	counting?: Counting;
	/**
	 * Where a new session begins: at the `start` of the transcript, or with what may still be in the model's `window`.
	 * `window` skips messages that the agent removed or had already compacted before its last compaction. If the agent
	 * never compacted, it skips messages that are too old to be in any answered prompt. Skipped messages can be neither
	 * shown nor restored until another import makes the session complete. `window` is fast, because most of a long
	 * transcript is skipped, but it is not allowed with `follow`. By default `start`.
	 */
	from?: ImportStart;
}

/** Records of one type that were not understood. */
export interface SkippedRecords {
	/** The type's name in the transcript. */
	type: string;
	/** Number of records. */
	count: number;
}

export interface ImportResult {
	/** Id of the session that mirrors the transcript. */
	sessionId: string;
	/** The agent that wrote the transcript. */
	source: string;
	/** Name of that agent, for people. */
	label: string;
	/** Number of visible messages. */
	messageCount: number;
	/** Records that were not understood and left out. */
	skipped: SkippedRecords[];
}

/** Creates a session from an agent's transcript, or updates the session that mirrors it. */
export const contextImport: RequestDeclaration<ImportParams, ImportResult, 'context/import'> = declareRequest(
	'context/import',
	[...writingErrors, 'FileUnreadable', 'UnsupportedFormat'],
);

/** Formats in which a history can be written: a provider's messages, or a session file of an agent. */
export type ExportFormat =
	| FormatName
	| 'claude-code'
	| 'codex'
	| 'opencode'
	| 'pi'
	| 'gemini-cli'
	| 'copilot-cli';

export interface ExportParams extends SessionParams, WorkDoneProgressParams {
	/** Format to write. */
	format: ExportFormat;
	/** Tokens that the history should have; by default as for a compaction. */
	targetTokens?: number;
	/** Whether to compact the history first; by default true. */
	compact?: boolean;
	/** Clears only these outdated and repeated results, like `free` of `context/compact`; not with `targetTokens`. */
	free?: FreeSelection;
	/** Folder in which the agent is started with the file, as a path; by default the session's folder. */
	cwd?: string;
	/** For Codex: the provider that continues the session, as the settings of Codex name it; by default `openai`. */
	agentProvider?: string;
}

export interface ExportResult {
	/** Text of the file. */
	text: string;
	/** Number of messages in the file. */
	messageCount: number;
	/** For an agent's session file: the session id in the file. */
	agentSessionId?: string;
	/** What the compaction did; null if there are no messages, or if `compact` is false. */
	compaction: CompactResult | null;
	/** Content that the format cannot express. */
	warnings?: string[];
	/** For a session of another agent: tokens of its messages, as the session's model counts them. */
	tokens?: number;
	/**
	 * For a session of another agent: descriptions of the content that was left out because only that agent or its
	 * provider can read it.
	 */
	leftOut?: string[];
}

/** Writes the compacted history for a provider or an agent. The session does not change. */
export const contextExport: RequestDeclaration<ExportParams, ExportResult, 'context/export'> = declareRequest(
	'context/export',
	[...readingErrors, ...compactingErrors, 'UnsupportedFormat'],
);
