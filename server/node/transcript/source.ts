import type { Agent } from '../../core/transcript/reading/agent.ts';

/** The next part of a file, as parsed records. */
export interface RecordBatch {
	records: unknown[];
	/** Lines, or parts of lines, that are not valid JSON. */
	badLines: number;
	/** The file was replaced or truncated: these are its first records. */
	startsOver: boolean;
	/** Number of bytes read. */
	bytes: number;
}

/** The records of a file or database that may grow; it is never written to. */
export interface RecordSource {
	/** The agent, if the location shows it; otherwise the content does. */
	agent?: Agent;
	/** Returns the next records, or undefined if there are none yet. Fails with `FileUnreadable`. */
	next(signal?: AbortSignal): Promise<RecordBatch | undefined>;
	/** The files and folders whose changes may mean more records. */
	watched(): string[];
	/** Closes what is open; a later read continues from the same position. */
	close(): Promise<void>;
}
