/** Removes a journal. */

import { rm, stat } from 'node:fs/promises';
import { errorCode } from '../../core/failure.ts';
import { storageFailure } from './failure.ts';
import { exists, journalPath, lockPath, sessionsFolder, syncFolder } from './folder.ts';
import { sessionNotFound } from './journalFile.ts';
import { takeLock } from './lock.ts';

/**
 * Removes the journal of a session, durably, and nothing else, unless it was modified after `modifiedUntil`
 * (milliseconds since the epoch). Gives whether it did.
 *
 * @throws Failure `SessionNotFound`, `SessionLocked` when a process holds it, or `StorageFailed`.
 */
export async function removeJournal(
	directory: string,
	sessionId: string,
	modifiedUntil = Number.POSITIVE_INFINITY,
): Promise<boolean> {
	const path = journalPath(directory, sessionId);
	if (!(await exists(path))) throw sessionNotFound(sessionId);
	const lock = await takeLock(lockPath(directory, sessionId), sessionId, () => undefined);
	try {
		if ((await stat(path)).mtimeMs > modifiedUntil) return false;
		await rm(path);
		await syncFolder(sessionsFolder(directory));
		return true;
	} catch (error) {
		if (errorCode(error) === 'ENOENT') throw sessionNotFound(sessionId);
		throw storageFailure('remove', path, error);
	} finally {
		await lock.release();
	}
}
