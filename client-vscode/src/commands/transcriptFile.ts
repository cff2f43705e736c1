/** The file that an agent writes, told from others whatever links lead to it. */

import { realpath, stat } from 'node:fs/promises';

/** What tells the file at a path from others; null where there is none. */
async function fileAt(path: string): Promise<string | null> {
	try {
		const { dev, ino } = await stat(path);
		return ino === 0 ? await realpath(path) : `${dev}:${ino}`;
	} catch (error) {
		if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
		throw error;
	}
}

/**
 * Whether a path leads to the file that holds a transcript. A session in a database is named by the file, a `#` and
 * the session's id.
 */
export async function isTranscriptFile(path: string, transcript: string): Promise<boolean> {
	const file = await fileAt(path);
	if (file === null) return false;
	const holders = await Promise.all([transcript, transcript.replace(/#[^#]*$/, '')].map(fileAt));
	return holders.includes(file);
}
