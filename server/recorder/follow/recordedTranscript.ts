/** The outcome of reading the next part of a transcript. */
export interface ReadOutcome {
	/** Whether more of the transcript can be read right now. */
	hasMore: boolean;
	/** Whether something new was read. */
	hasChanged: boolean;
	/** Whether the transcript no longer exists. */
	isGone?: boolean;
}

/** A transcript that is being recorded. */
export interface RecordedTranscript {
	readonly recordingId: string;
	/** Reads and commits the next part of the transcript, if there is a next part. */
	readMore(): ReadOutcome | Promise<ReadOutcome>;
	/** Closes open files. A later read continues at the position that the archive has stored. */
	close(): void;
}
