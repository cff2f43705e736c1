/** What is known of a recording. */
export interface RecordingInfo {
	/** Name of the agent, such as `codex`. */
	agent: string;
	/** Display name of the agent. */
	label: string;
	/** Where the transcript is, or was. */
	path: string;
	/** The agent's own id of the session. */
	sessionId?: string;
	title?: string;
	/** The folder in which the agent worked. */
	folder?: string;
	/** Milliseconds since the epoch. */
	startedAt?: number;
}

/** One transcript, as kept in the archive. */
export interface Recording extends RecordingInfo {
	/** Short, and the same for as long as the recording exists. */
	recordingId: string;
	/** When something was last added. Milliseconds since the epoch. */
	updatedAt: number;
	/** Pinned recordings are never removed to save space. */
	pinned: boolean;
	/** How often the transcript was replaced, truncated or rewritten, plus one. */
	generation: number;
	/** Number of entries. */
	entries: number;
	/** Bytes of their texts, before compression. */
	bytes: number;
}

/** A record of a transcript, as it was in the file. */
export interface RecordedEntry {
	/** Order in the recording, from 0; numbers of forgotten entries are missing. */
	seq: number;
	/** When it was written, as far as known. Milliseconds since the epoch. */
	at: number;
	text: string;
}

/** Which recordings to list. */
export interface RecordingFilter {
	agent?: string;
	/** A folder; recordings of this folder and below it. */
	folder?: string;
	/** Milliseconds since the epoch; recordings that were changed then or later. */
	since?: number;
	/** Maximum number, newest first. */
	limit?: number;
}

/** What is added to a recording. */
export interface Addition {
	entries: readonly Omit<RecordedEntry, 'seq'>[];
	/** The transcript was replaced or truncated: these are its first records now. */
	startsOver?: boolean;
	/** Where to continue in the transcript, for the follower. */
	position?: string;
}

/** Informed after each commit. */
export interface ArchiveListener {
	/** Entries from this seq on are new. */
	added(recordingId: string, fromSeq: number): void;
	/** These entries are gone; all of the recording if `seqs` is absent. */
	forgotten(recordingId: string, seqs?: readonly number[]): void;
}
