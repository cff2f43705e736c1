/** Removes a journal. */

import { rm } from 'node:fs/promises';
import { errorCode } from '../../core/failure.ts';
import { storageFailure } from './failure.ts';
import { journalPath, oldLockPath, sessionsFolder, syncFolder } from './folder.ts';
import { sessionNotFound } from './journalFile.ts';

/**
 * Removes the journal of a session, durably, and a lock that an earlier version left. Needs no free space.
 *
 * @throws Failure `SessionNotFound`, or `StorageFailed`.
 */
export async function removeJournal(directory: string, sessionId: string): Promise<void> {
	const path = journalPath(directory, sessionId);
	try {
		await rm(path);
		await rm(oldLockPath(directory, sessionId), { recursive: true, force: true });
		await syncFolder(sessionsFolder(directory));
	} catch (error) {
		if (errorCode(error) === 'ENOENT') throw sessionNotFound(sessionId);
		throw storageFailure('remove', path, error);
	}
}
