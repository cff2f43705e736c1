/** What a look at a transcript found. */
export interface TranscriptLook {
	/** Whether there is more to read right now. */
	hasMore: boolean;
	/** Whether something was read. */
	hasChanged: boolean;
	/** Whether the transcript does not exist any more. */
	isGone?: boolean;
}

/** A transcript that is recorded. */
export interface RecordedTranscript {
	readonly recordingId: string;
	/** Commits what is new, at most one piece of it. */
	look(): TranscriptLook | Promise<TranscriptLook>;
	/** Closes what is open; a later look continues at the position that the archive has. */
	close(): void;
}
