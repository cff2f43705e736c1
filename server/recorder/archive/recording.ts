import type { ReadEntry, RecordedSession } from '../../protocol/recorder.ts';

/** The description of a recording, as read from its transcript. */
export type RecordingInfo = Pick<
	RecordedSession,
	'agent' | 'label' | 'path' | 'sessionId' | 'parent' | 'title' | 'folder' | 'startedAt'
>;

/** The recording of one transcript in the archive. */
export interface Recording extends RecordedSession {
	/** 1, plus the number of times that the transcript was replaced, truncated or rewritten. */
	generation: number;
	/** Seq of the next entry. */
	nextSeq: number;
}

/** Which recordings to list. */
export interface RecordingFilter {
	agent?: string;
	/** Lists only the sub-agents of the session with this id; null: lists no sub-agents. */
	parent?: string | null;
	/** Lists only recordings in this folder or below it. */
	folder?: string;
	/** Lists only recordings that changed at this time or later. Milliseconds since the epoch. */
	since?: number;
	/** Maximum number of recordings. */
	limit?: number;
}

/** Entries to append to a recording, and the follower's position in the transcript. */
export interface RecordingUpdate {
	entries: readonly Omit<ReadEntry, 'seq'>[];
	/** Whether the transcript was replaced or truncated, so that the entries are its first records. */
	isRestart?: boolean;
	/** Where the follower continues in the transcript. */
	position?: string;
}

/** Called by the archive after each commit. */
export interface ArchiveListener {
	/** Called if a recording has new entries, from `fromSeq` on. */
	onAdded(recordingId: string, fromSeq: number): void;
	/** Called if entries were erased; `seqs` is absent if the whole recording was erased. */
	onForgotten(recordingId: string, seqs?: readonly number[]): void;
}
