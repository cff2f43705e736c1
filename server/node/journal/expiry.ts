/** Removes the journals of sessions that have not been used for a long time. */

import { lstat, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { errorText, ifExists } from '../../core/failure.ts';
import type { JournalEntry, JournalStore, Logger } from '../../session/ports.ts';
import { accessDisk } from '../disk/durableFile.ts';
import { getSessionsFolder } from './folder.ts';

const dayMs = 24 * 60 * 60 * 1000;
/** Matches names of damaged journals' copies, drafts of killed processes, and locks of earlier versions. */
const leftoverPattern = /\.jsonl\.damaged-\d+$|\.jsonl\.new$|\.lock(?:-[0-9a-f]{16})?$/;

/**
 * Removes journals that are not open and were not modified for `maxAgeDays`, and leftover files of that age. Returns the removed
 * journals. Removes none if `maxAgeDays` is 0 or less.
 */
export async function removeExpiredJournals(options: {
	journals: JournalStore;
	/** The state folder with the journals. */
	directory: string;
	maxAgeDays: number;
	/** Milliseconds since the epoch. */
	now: number;
	logger: Logger;
	/** Whether a session is open in this process. */
	isOpen(sessionId: string): boolean;
}): Promise<JournalEntry[]> {
	const { journals, directory, maxAgeDays, now, logger, isOpen } = options;
	if (!(maxAgeDays > 0)) return [];
	const expiredBefore = now - maxAgeDays * dayMs;
	const removed: JournalEntry[] = [];
	for (const entry of await journals.list()) {
		if (entry.modifiedAt > expiredBefore || isOpen(entry.sessionId)) continue;
		try {
			await journals.delete(entry.sessionId);
			removed.push(entry);
		} catch (error) {
			logger.warn(`could not remove an expired session: ${errorText(error)}`);
		}
	}
	await removeLeftovers(getSessionsFolder(directory), expiredBefore);
	return removed;
}

async function removeLeftovers(folder: string, expiredBefore: number): Promise<void> {
	await accessDisk('clear up', folder, async () => {
		for (const name of (await ifExists(readdir(folder))) ?? []) {
			const path = join(folder, name);
			if (!leftoverPattern.test(name) || (await lstat(path)).mtimeMs > expiredBefore) continue;
			await rm(path, { recursive: true, force: true });
		}
	});
}
