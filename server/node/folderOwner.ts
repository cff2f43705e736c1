/** A state folder, which this process takes when it first writes there. */

import { mkdir } from 'node:fs/promises';
import { errorCode, Failure } from '../core/failure.ts';
import { FolderHeld, type FolderLock, takeFolderLock } from './folderLock.ts';

/** System errors of a folder that no process may write to; the write itself reports them. */
const writeProtected: readonly string[] = ['EROFS', 'EACCES', 'EPERM'];

async function createAndLock(stateFolder: string): Promise<FolderLock> {
	await mkdir(stateFolder, { recursive: true, mode: 0o700 });
	return takeFolderLock(stateFolder, 'alone');
}

export class FolderOwner {
	#taking?: Promise<FolderLock>;

	/**
	 * Takes the folder unless this process has it.
	 *
	 * Returns undefined if this process may write there, else a clause that names the process that does. Call it before each
	 * write, and every few seconds while writing.
	 */
	readonly otherOwner = async (stateFolder: string): Promise<string | undefined> => {
		let lock: FolderLock;
		try {
			this.#taking ??= createAndLock(stateFolder);
			lock = await this.#taking;
		} catch (error) {
			// The other process may end, so the next call retries.
			this.#taking = undefined;
			if (error instanceof FolderHeld) return error.message;
			if (writeProtected.includes(errorCode(error))) return undefined;
			throw new Failure('StorageFailed', `cannot lock ${stateFolder}: ${error}`, {}, error);
		}
		return (await lock.check()) ? undefined : `another process has taken over ${stateFolder}`;
	};

	/** Releases the folder for another process. */
	async release(): Promise<void> {
		const taking = this.#taking;
		this.#taking = undefined;
		const lock = await taking?.catch(() => undefined);
		await lock?.release();
	}
}
