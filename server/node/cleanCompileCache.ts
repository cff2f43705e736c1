import { readdir, stat, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { ifExists } from '../core/failure.ts';
import { getCompileCacheFolder } from './stateFolder.ts';

/** Maximum age of a file in milliseconds. Node writes a removed file again if it still needs that file. */
const maxAgeMs = 30 * 86_400_000;

/**
 * Removes old files that earlier versions of contextd and Node left in Node's compile cache.
 * Returns the number of removed files.
 * @param now milliseconds since the epoch
 */
export async function cleanCompileCache(stateFolder: string, now: number): Promise<number> {
	const folder = getCompileCacheFolder(stateFolder);
	const entries = await ifExists(readdir(folder, { recursive: true, withFileTypes: true }));
	let removedCount = 0;
	for (const entry of entries ?? []) {
		const path = join(entry.parentPath, entry.name);
		const stats = entry.isFile() ? await ifExists(stat(path)) : undefined;
		if (stats === undefined || now - stats.mtimeMs <= maxAgeMs) continue;
		await ifExists(unlink(path));
		removedCount += 1;
	}
	return removedCount;
}
