import type { WorkDoneParams } from './message.ts';
import { request } from './message.ts';

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
