import { rm } from 'node:fs/promises';

/**
 * Removes a folder into which an ending process may still write. A file written between reading and removing the folder
 * makes the removal fail, so the whole removal is repeated. (`rmSync` repeats only its last step, which does not help.)
 */
export function removeFolder(folder: string): Promise<void> {
	return rm(folder, { recursive: true, force: true, maxRetries: 10 });
}
