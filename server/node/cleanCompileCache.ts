import { readdir, stat, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { ifExists } from '../core/failure.ts';
import { compileCacheFolder } from './stateFolder.ts';

/** Age at which a cached file is removed, in milliseconds; Node writes it again if it is still used. */
const maxAgeMs = 30 * 86_400_000;

/**
 * Removes old files of the compile cache, which earlier versions of contextd and Node left behind.
 * Returns the number of removed files.
 * @param now milliseconds since the epoch
 */
export async function cleanCompileCache(stateFolder: string, now: number): Promise<number> {
	const folder = compileCacheFolder(stateFolder);
	const entries = await ifExists(readdir(folder, { recursive: true, withFileTypes: true }));
	let removed = 0;
	for (const entry of entries ?? []) {
		const path = join(entry.parentPath, entry.name);
		const found = entry.isFile() ? await ifExists(stat(path)) : undefined;
		if (found === undefined || now - found.mtimeMs <= maxAgeMs) continue;
		await ifExists(unlink(path));
		removed += 1;
	}
	return removed;
}
