/** Removes the journals of sessions that were not used for a long time. */

import { lstat, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { errorText, ifExists } from '../../core/failure.ts';
import type { JournalEntry, JournalStore, Logger } from '../../session/ports.ts';
import { runStorageOperation } from '../disk/durableFile.ts';
import { sessionsFolder } from './folder.ts';

const dayMilliseconds = 24 * 60 * 60 * 1000;
/** Copies of damaged journals, drafts of processes that died, and locks of earlier versions. */
const remainsPattern = /\.jsonl\.damaged-\d+$|\.jsonl\.new$|\.lock(?:-[0-9a-f]{16})?$/;

/**
 * Removes journals that were not modified for `maxAgeDays` and are not open, and leftover files of that age.
 * Returns the removed journals; none if `maxAgeDays` is 0 or less, which keeps all journals.
 *
 * @param now milliseconds since the epoch
 */
export async function removeExpiredJournals(options: {
	journals: JournalStore;
	/** The state folder of the journals. */
	directory: string;
	maxAgeDays: number;
	now: number;
	logger: Logger;
	/** Whether a session is open in this process. */
	isOpen(sessionId: string): boolean;
}): Promise<JournalEntry[]> {
	const { journals, directory, maxAgeDays, now, logger, isOpen } = options;
	if (!(maxAgeDays > 0)) return [];
	const modifiedUntil = now - maxAgeDays * dayMilliseconds;
	const removed: JournalEntry[] = [];
	for (const entry of await journals.list()) {
		if (entry.modifiedAt > modifiedUntil || isOpen(entry.sessionId)) continue;
		try {
			await journals.delete(entry.sessionId);
			removed.push(entry);
		} catch (error) {
			logger.warn(`could not remove an expired session: ${errorText(error)}`);
		}
	}
	await removeRemains(sessionsFolder(directory), modifiedUntil);
	return removed;
}

async function removeRemains(folder: string, modifiedUntil: number): Promise<void> {
	await runStorageOperation('clear up', folder, async () => {
		for (const name of (await ifExists(readdir(folder))) ?? []) {
			const path = join(folder, name);
			if (!remainsPattern.test(name) || (await lstat(path)).mtimeMs > modifiedUntil) continue;
			await rm(path, { recursive: true, force: true });
		}
	});
}
