import { rm } from 'node:fs/promises';

/**
 * Removes a folder in which a process that is ending may still write: what it writes between the reading and the
 * removal of a folder makes that fail, so it is begun again. (`rmSync` repeats only the last step of it, in vain.)
 */
export function removeFolder(folder: string): Promise<void> {
	return rm(folder, { recursive: true, force: true, maxRetries: 10 });
}
