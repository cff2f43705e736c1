import type { RecordedSession } from '../../protocol/recorder.ts';

/** The description of a recording, from its transcript. */
export type RecordingInfo = Pick<
	RecordedSession,
	'agent' | 'label' | 'path' | 'sessionId' | 'parent' | 'title' | 'folder' | 'startedAt'
>;

/** One transcript, as kept in the archive. */
export interface Recording extends RecordedSession {
	/** How often the transcript was replaced, truncated or rewritten, plus one. */
	generation: number;
	/** Seq of the next entry. */
	nextSeq: number;
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
	/** An agent's id of a session: only its sub-agents; null: no sub-agents. */
	parent?: string | null;
	/** A folder; recordings of this folder and below it. */
	folder?: string;
	/** Milliseconds since the epoch; recordings that were changed then or later. */
	since?: number;
	/** Maximum number, newest first. */
	limit?: number;
}

/** Entries to append to a recording, and the position of its follower. */
export interface RecordingUpdate {
	entries: readonly Omit<RecordedEntry, 'seq'>[];
	/** Whether the transcript was replaced or truncated, so that these are its first records. */
	startsOver?: boolean;
	/** Where to continue in the transcript, for the follower. */
	position?: string;
}

/** Informed after each commit. */
export interface ArchiveListener {
	/** Entries from this seq on are new. */
	added(recordingId: string, fromSeq: number): void;
	/** These entries were erased; the whole recording if `seqs` is absent. */
	forgotten(recordingId: string, seqs?: readonly number[]): void;
}
