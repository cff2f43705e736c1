import type { Agent } from '../../core/transcript/index.ts';

/** The parsed records of the next part of a file. */
export interface RecordBatch {
	records: unknown[];
	/** Number of lines, or parts of lines, that are not valid JSON. */
	badLineCount: number;
	/** Whether the file was replaced or truncated, so that these are its first records. */
	isRestart: boolean;
	/** Number of bytes that were read. */
	bytes: number;
}

/** Reads the records of a file or database that may grow. Never writes to it. */
export interface RecordSource {
	/** The agent, if the location shows it; if absent, the content shows it. */
	agent?: Agent;
	/** Returns the next records; undefined if there are none yet. Fails with `FileUnreadable`. */
	next(signal?: AbortSignal): Promise<RecordBatch | undefined>;
	/** Returns the files and folders whose changes may mean new records. */
	listWatchedPaths(): string[];
	/** Closes open files. A later read continues from the same position. */
	close(): Promise<void>;
}
