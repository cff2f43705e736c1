/** Finds and removes the folders that an installation created. */

import { rmdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { errorCode } from '../../../core/failure.ts';

/** Returns the outermost missing folder on the path to a folder; undefined if the folder exists. */
export async function findFirstMissingFolder(folder: string): Promise<string | undefined> {
	if (await exists(folder)) return undefined;
	return (await findFirstMissingFolder(dirname(folder))) ?? folder;
}

async function exists(path: string): Promise<boolean> {
	return stat(path).then(
		() => true,
		() => false,
	);
}

/** Removes empty folders, from a folder up to the outermost one that was created for it. */
export async function removeEmptyFolders(folder: string, outermost: string | undefined): Promise<void> {
	if (outermost === undefined || !folder.startsWith(outermost)) return;
	try {
		await rmdir(folder);
	} catch (error) {
		const code = errorCode(error);
		if (code === 'ENOTEMPTY' || code === 'EEXIST') return;
		if (code !== 'ENOENT') throw error;
	}
	await removeEmptyFolders(dirname(folder), outermost);
}
