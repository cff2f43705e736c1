/** The outcome of reading the next part of a transcript. */
export interface ReadOutcome {
	/** Whether there is more to read right now. */
	hasMore: boolean;
	/** Whether something was read. */
	hasChanged: boolean;
	/** Whether the transcript no longer exists. */
	isGone?: boolean;
}

/** A transcript that is recorded. */
export interface RecordedTranscript {
	readonly recordingId: string;
	/** Reads and commits the next part of the transcript, if there is one. */
	readMore(): ReadOutcome | Promise<ReadOutcome>;
	/** Closes open files; a later read continues at the position that the archive has. */
	close(): void;
}
