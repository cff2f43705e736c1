/** Paths of recordings, which can be used wherever the path of a transcript can. */

const prefix = 'recording:';

/** Returns the path by which a recording is opened like a transcript. */
export function recordingPath(recordingId: string): string {
	return `${prefix}${recordingId}`;
}

/** Returns the recording that such a path names; undefined for any other path. */
export function recordingIdOf(path: string): string | undefined {
	return path.startsWith(prefix) ? path.slice(prefix.length) : undefined;
}
