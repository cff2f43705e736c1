/** Paths of recordings, which can be used wherever the path of a transcript can. */

const recordingPrefix = 'recording:';

/** Returns the path by which a recording is opened like a transcript. */
export function createRecordingPath(recordingId: string): string {
	return `${recordingPrefix}${recordingId}`;
}

/** Returns the id of the recording that a path names; undefined for the path of a file. */
export function parseRecordingPath(path: string): string | undefined {
	return path.startsWith(recordingPrefix) ? path.slice(recordingPrefix.length) : undefined;
}
