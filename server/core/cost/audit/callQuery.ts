/** What an audit asks of the machine, and what it gets. */

import type { SessionCalls } from './audit.ts';

/** Which calls are collected. */
export interface CallQuery {
	/** Only files that were written since; milliseconds since the epoch. */
	since: number;
	/** Names of agents, as in `names.ts`; absent: all. */
	agents?: readonly string[];
	/** Full path of a project, to read less where locations show it; the sessions found may be of other folders. */
	folder?: string;
	/** Reports bytes that were read, of all that will be. */
	onProgress?(bytes: number, ofBytes: number): void;
	signal?: AbortSignal;
}

/** The calls of all transcripts, and the files that could not be read. */
export interface CollectedCalls {
	sessions: SessionCalls[];
	/** Error messages, each with the path of the file. */
	unreadable: string[];
	/** Why the figures could not be cached, so that the next audit reads everything again. */
	uncached?: string;
}
