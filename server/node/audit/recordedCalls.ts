/** Finds recordings whose calls are no longer in a transcript. */

import { stat } from 'node:fs/promises';
import { ifExists } from '../../core/failure.ts';
import { agents, createRecordingPath } from '../../core/transcript/index.ts';
import type { RecordedSession } from '../../protocol/recorder.ts';
import type { ReadRecording } from '../transcript/recordingSource.ts';
import { splitDatabasePath } from '../transcript/sessionDatabase.ts';
import type { CallFile } from './callFiles.ts';

/** Access to the daemon's recordings. */
export interface RecordedTranscripts {
	/** Lists the recordings that changed since a time, in milliseconds since the epoch. */
	list(since: number): Promise<readonly RecordedSession[]>;
	read: ReadRecording;
}

/** Whether a transcript still contains everything that was recorded: agents delete, rewrite and shorten transcripts. */
async function hasWholeTranscript({ path, bytes }: RecordedSession): Promise<boolean> {
	const database = splitDatabasePath(path);
	const stats = await ifExists(stat(database?.file ?? path), ['ENOENT', 'ENOTDIR', 'EACCES', 'EPERM']);
	if (stats === undefined) return false;
	return database !== undefined || !stats.isFile() || stats.size >= bytes;
}

/** Returns the recordings whose transcripts are no longer complete, as files with calls. */
export async function findRecordedCalls(recordings: RecordedTranscripts, since: number): Promise<CallFile[]> {
	const files: CallFile[] = [];
	for (const recording of await recordings.list(since)) {
		const agent = agents.find(({ name }) => name === recording.agent);
		if (agent === undefined || (await hasWholeTranscript(recording))) continue;
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
