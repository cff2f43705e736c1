/** Owns a state folder from the first write of this process on, and lets only the owner write journals. */

import { mkdir } from 'node:fs/promises';
import { errorCode, Failure } from '../core/failure.ts';
import type { JournalStore } from '../session/ports.ts';
import { FolderHeldError, type FolderLock, takeFolderLock } from './folderLock.ts';

/** System errors for a folder that cannot be written. The write that follows reports the error. */
const writeProtectedCodes: readonly string[] = ['EROFS', 'EACCES', 'EPERM'];

async function createAndLock(stateFolder: string): Promise<FolderLock> {
	await mkdir(stateFolder, { recursive: true, mode: 0o700 });
	return takeFolderLock(stateFolder, 'alone');
}

/** Takes the lock of a state folder when needed, and releases it. */
export class FolderOwner {
	/** The lock, or the attempt to take it. */
	#lock?: Promise<FolderLock>;

	/**
	 * Takes the folder unless this process owns it already. Returns undefined if this process may write there, else a clause
	 * that names the owning process. Call this before each write, and every few seconds during longer writing.
	 */
	readonly findOtherOwner = async (stateFolder: string): Promise<string | undefined> => {
		let lock: FolderLock;
		try {
			this.#lock ??= createAndLock(stateFolder);
			lock = await this.#lock;
		} catch (error) {
			// The other process may end, so the next call tries again.
			this.#lock = undefined;
			if (error instanceof FolderHeldError) return error.message;
			if (writeProtectedCodes.includes(errorCode(error))) return undefined;
			throw new Failure('StorageFailed', `cannot lock ${stateFolder}: ${error}`, {}, error);
		}
		return (await lock.check()) ? undefined : `another process has taken over ${stateFolder}`;
	};

	/** Releases the folder, so that another process can take it. */
	async release(): Promise<void> {
		const taking = this.#lock;
		this.#lock = undefined;
		const lock = await taking?.catch(() => undefined);
		await lock?.release();
	}
}

/**
 * Creates a store that is read-only while another process owns the folder: writes fail with `SessionLocked`.
 * @param findOtherOwner resolves with a clause that names the other process; undefined if this process may write
 */
export function createOwnedJournals(
	journals: JournalStore,
	findOtherOwner: () => Promise<string | undefined>,
): JournalStore {
	async function confirmOwner(sessionId: string): Promise<void> {
		const owner = await findOtherOwner();
		if (owner === undefined) return;
		const reason = `session "${sessionId}" is read-only here: ${owner}`;
		throw new Failure('SessionLocked', reason, { sessionId });
	}

	return {
		...journals,
		async create(sessionId) {
			await confirmOwner(sessionId);
			return journals.create(sessionId);
		},
		async open(sessionId, visit) {
			await confirmOwner(sessionId);
			return journals.open(sessionId, visit);
		},
		async delete(sessionId) {
			await confirmOwner(sessionId);
			await journals.delete(sessionId);
		},
	};
}
