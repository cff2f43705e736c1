import type { Agent } from '../../core/transcript/reading/agent.ts';

/** What one more piece of a file holds, as parsed records. */
export interface RecordBatch {
	records: unknown[];
	/** Lines, or parts of lines, that are no JSON. */
	badLines: number;
	/** The file is another one than before, or was cut: these are its first records. */
	startsOver: boolean;
	/** Bytes that were read. */
	bytes: number;
}

/** The records of something on the disk that may grow; nothing is ever written to it. */
export interface RecordSource {
	/** Whose they are, where the place tells; else their content does. */
	agent?: Agent;
	/** The next records; undefined when there are no more for now. Fails with `FileUnreadable`. */
	next(signal?: AbortSignal): Promise<RecordBatch | undefined>;
	/** The files and folders whose changes may mean more records. */
	watched(): string[];
	/** Lets go of what is open; what is asked for later starts anew from where reading was. */
	close(): Promise<void>;
}
