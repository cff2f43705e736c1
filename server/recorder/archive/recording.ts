import { pickDefined } from '../../core/shape.ts';
import type { ReadEntry, RecordedSession } from '../../protocol/recorder.ts';
import type { ArchiveRow } from './database.ts';

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

/** The columns that `rowToRecording` needs. */
export const recordingColumns =
	'recordingId, agent, label, path, sessionId, parent, title, folder, startedAt, updatedAt, pinned, generation, nextSeq, entries, bytes';

/** Converts a row with the columns of `recordingColumns`. */
export function rowToRecording(row: ArchiveRow): Recording {
	const text = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);
	return {
		recordingId: String(row.recordingId),
		agent: String(row.agent),
		label: String(row.label),
		path: String(row.path),
		...pickDefined({
			sessionId: text(row.sessionId),
			parent: text(row.parent),
			title: text(row.title),
			folder: text(row.folder),
		}),
		...(row.startedAt !== null && { startedAt: Number(row.startedAt) }),
		updatedAt: Number(row.updatedAt),
		pinned: row.pinned === 1,
		generation: Number(row.generation),
		nextSeq: Number(row.nextSeq),
		entries: Number(row.entries),
		bytes: Number(row.bytes),
	};
}
