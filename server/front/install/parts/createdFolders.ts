/** Folders that an installation creates, and removes again. */

import { rmdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { errorCode } from '../../../core/failure.ts';

/** The outermost missing folder on the path to a folder. */
export async function firstMissingFolder(folder: string): Promise<string | undefined> {
	if (await isThere(folder)) return undefined;
	return (await firstMissingFolder(dirname(folder))) ?? folder;
}

async function isThere(path: string): Promise<boolean> {
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
