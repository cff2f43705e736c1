/** Removes the journals of sessions that were not used for a long time. */

import { lstat, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Failure } from '../../core/failure.ts';
import type { JournalEntry, Logger } from '../../session/ports.ts';
import { storageFailure } from './failure.ts';
import { openFileOnDisk, sessionsFolder } from './folder.ts';
import { listJournals } from './listing.ts';
import { removeJournal } from './removal.ts';

const dayMilliseconds = 24 * 60 * 60 * 1000;
/** Kept copies of damaged journals, drafts of a process that died, and locks of earlier versions. */
const remainsPattern = /\.jsonl\.damaged-\d+$|\.jsonl\.new$|\.lock(?:-[0-9a-f]{16})?$/;

/**
 * Removes the journals that were not modified for `maxAgeDays` and are not open, and other files of that age that belong
 * to none. Returns the removed journals; none if `maxAgeDays` is 0 or less, which keeps all for ever.
 *
 * @param now milliseconds since the epoch.
 */
export async function removeExpiredJournals(options: {
	directory: string;
	maxAgeDays: number;
	now: number;
	logger: Logger;
	/** Whether this process has a session open. */
	isOpen(sessionId: string): boolean;
}): Promise<JournalEntry[]> {
	const { directory, maxAgeDays, now, logger, isOpen } = options;
	if (!(maxAgeDays > 0)) return [];
	const modifiedUntil = now - maxAgeDays * dayMilliseconds;
	const removed: JournalEntry[] = [];
	const entries = await listJournals(directory, openFileOnDisk, logger);
	for (const entry of entries) {
		if (entry.modifiedAt > modifiedUntil || isOpen(entry.sessionId)) continue;
		try {
			await removeJournal(directory, entry.sessionId);
			removed.push(entry);
		} catch (error) {
			if (!(error instanceof Failure)) throw error;
			if (error.kind === 'SessionNotFound') continue;
			logger.warn(`an expired session stays: ${error.message}`);
		}
	}
	if (entries.length > 0) await removeRemains(sessionsFolder(directory), modifiedUntil);
	return removed;
}

async function removeRemains(folder: string, modifiedUntil: number): Promise<void> {
	try {
		for (const name of await readdir(folder)) {
			if (!remainsPattern.test(name)) continue;
			const path = join(folder, name);
			if ((await lstat(path)).mtimeMs <= modifiedUntil) await rm(path, { recursive: true, force: true });
		}
	} catch (error) {
		throw storageFailure('clear up', folder, error);
	}
}
