import { withoutUndefined } from '../../core/shape.ts';
import type { ArchiveRow } from './database.ts';
import type { Recording } from './recording.ts';

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
		...withoutUndefined({
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
