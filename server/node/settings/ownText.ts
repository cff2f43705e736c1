/** Reads text files that only their user, or root, can have written. */

import { open } from 'node:fs/promises';
import { errorText } from '../../core/failure.ts';
import { readBytes } from '../files/readBytes.ts';
import { readOnlyFlags } from '../transcript/openFile.ts';

/** Maximum size of a settings file. A project's file may come from anybody, and each client reads it. */
const maxBytes = 64 * 1024;

/** The file cannot be used; the message says why, without its path. */
export class FileRefused extends Error {}

/**
 * Returns the text of a file.
 *
 * Rejects with `FileRefused` if it cannot be read, is no file, is larger than 64 KB, belongs to another user, or is writable
 * for others than the user's own group. Its `cause` is the system's error, if there was one.
 */
export async function readOwnText(path: string): Promise<string> {
	const handle = await open(path, readOnlyFlags).catch((error) => {
		throw new FileRefused(`cannot be read: ${errorText(error)}`, { cause: error });
	});
	try {
		const stats = await handle.stat();
		const { uid, gid, mode } = stats;
		if (!stats.isFile()) throw new FileRefused('is not a file');
		if (process.platform !== 'win32') {
			if (![0, process.getuid?.()].includes(uid)) throw new FileRefused('belongs to another user');
			// Many systems give each user a group of the same number, and create files that it may write to.
			const writers = gid === uid ? 0o002 : 0o022;
			if ((mode & writers) !== 0) throw new FileRefused('is writable for other users');
		}
		// Not by its size, which files of the system report as 0.
		const bytes = await readBytes(handle, 0, maxBytes + 1);
		if (bytes.length > maxBytes) throw new FileRefused('is larger than 64 KB');
		return bytes.toString('utf8');
	} catch (error) {
		if (error instanceof FileRefused) throw error;
		throw new FileRefused(`cannot be read: ${errorText(error)}`, { cause: error });
	} finally {
		await handle.close();
	}
}
