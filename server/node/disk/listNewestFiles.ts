import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { ifExists } from '../../core/failure.ts';

/** A file in a folder of contextd. */
export interface StoredFile {
	path: string;
	/** Bytes. */
	size: number;
	/** When the file was last written, in milliseconds since the epoch. */
	modifiedAt: number;
}

/** Returns the files of a folder whose names are accepted, newest first; none if the folder is missing. */
export async function listNewestFiles(
	folder: string,
	isAccepted: (name: string) => boolean = () => true,
): Promise<StoredFile[]> {
	const names = ((await ifExists(readdir(folder))) ?? []).filter(isAccepted);
	const files = await Promise.all(
		names.map(async (name) => {
			const path = join(folder, name);
			const stats = await ifExists(stat(path));
			return stats === undefined ? [] : [{ path, size: stats.size, modifiedAt: stats.mtimeMs }];
		}),
	);
	return files.flat().sort((a, b) => b.modifiedAt - a.modifiedAt);
}
