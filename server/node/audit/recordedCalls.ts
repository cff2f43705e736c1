/** Finds recordings with calls that no transcript has any more. */

import { stat } from 'node:fs/promises';
import { ifExists } from '../../core/failure.ts';
import { agents } from '../../core/transcript/agents.ts';
import { createRecordingPath } from '../../core/transcript/recordingPath.ts';
import type { RecordedSession } from '../../protocol/recorder.ts';
import type { ReadRecording } from '../transcript/recordingSource.ts';
import { splitDatabasePath } from '../transcript/sessionDatabase.ts';
import type { CallFile } from './callFiles.ts';

/** The recordings of the daemon. */
export interface RecordedTranscripts {
	/** All that were changed since a time, in milliseconds since the epoch. */
	list(since: number): Promise<readonly RecordedSession[]>;
	read: ReadRecording;
}

/** Whether a transcript still contains all that was recorded of it: agents delete, rewrite and shorten them. */
async function isWhole({ path, bytes }: RecordedSession): Promise<boolean> {
	const database = splitDatabasePath(path);
	const stats = await ifExists(stat(database?.file ?? path), ['ENOENT', 'ENOTDIR', 'EACCES', 'EPERM']);
	if (stats === undefined) return false;
	return database !== undefined || !stats.isFile() || stats.size >= bytes;
}

/** Returns recordings as files with calls, except recordings whose transcripts still exist as a whole. */
export async function findRecordedCalls(recordings: RecordedTranscripts, since: number): Promise<CallFile[]> {
	const files: CallFile[] = [];
	for (const recording of await recordings.list(since)) {
		const agent = agents.find(({ name }) => name === recording.agent);
		if (agent === undefined || (await isWhole(recording))) continue;
		const { recordingId, bytes, updatedAt, folder, path: original } = recording;
		files.push({
			agent,
			path: createRecordingPath(recordingId),
			size: bytes,
			updatedAt,
			isDatabase: false,
			original,
			...(folder !== undefined && { folder }),
		});
	}
	return files;
}
