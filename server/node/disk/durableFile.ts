/** Writes files atomically and durably, and describes file system errors. */

import { constants } from 'node:fs';
import { type FileHandle, mkdir, open, rename, rm } from 'node:fs/promises';
import { errorCode, errorText, Failure } from '../../core/failure.ts';

/** A function that opens a file; tests pass one that fails. */
export type OpenFile = (path: string, flags: number, mode: number) => Promise<FileHandle>;

/** Opens a file on the real disk. */
export const openFileOnDisk: OpenFile = (path, flags, mode) => open(path, flags, mode);

/** Mode of a file that only the user may read and write. */
export const privateFileMode = 0o600;

/** Creates a `StorageFailed` that names the action, the file and the system's error. */
export function createStorageFailure(action: string, path: string, error: unknown): Failure {
	if (error instanceof Failure) return error;
	const reason = errorText(error);
	return new Failure(
		'StorageFailed',
		`cannot ${action} ${path}: ${reason}`,
		{ path, code: errorCode(error) || undefined },
		error,
	);
}

/** Runs file operations. Rejects with `StorageFailed` if the system refuses one of them. */
export async function accessDisk<T>(action: string, path: string, task: () => Promise<T>): Promise<T> {
	try {
		return await task();
	} catch (error) {
		throw createStorageFailure(action, path, error);
	}
}

/** Creates a folder that only the user can read, with its parents. Fails with `StorageFailed`. */
export async function createPrivateFolder(folder: string): Promise<void> {
	await accessDisk('prepare the folder', folder, () => mkdir(folder, { recursive: true, mode: 0o700 }));
}

/** Creates or replaces a file atomically and durably: after a crash, the file is either complete or unchanged. */
export async function writeFileAtomically(openFile: OpenFile, path: string, bytes: Buffer): Promise<void> {
	const { draft, handle } = await writeDraft(openFile, path, (target) => target.writeFile(bytes));
	await accessDisk('create', path, async () => {
		await handle.close();
		await rename(draft, path);
	});
}

/**
 * Durably writes a draft that will replace the file at `path`; `fill` writes the content. Returns the open draft.
 *
 * @throws Failure `StorageFailed`, after removing the draft
 */
export async function writeDraft(
	openFile: OpenFile,
	path: string,
	fill: (target: FileHandle) => Promise<void>,
): Promise<{ draft: string; handle: FileHandle }> {
	const draft = `${path}.new`;
	return accessDisk('write', draft, async () => {
		// A killed process may have left a draft.
		await rm(draft, { force: true });
		const handle = await openFile(
			draft,
			constants.O_CREAT | constants.O_EXCL | constants.O_RDWR,
			privateFileMode,
		);
		try {
			await fill(handle);
			await handle.datasync();
			return { draft, handle };
		} catch (error) {
			await handle.close();
			await rm(draft, { force: true });
			throw error;
		}
	});
}

/** Makes the creation and removal of files in a folder durable. Does nothing on Windows, where that is not needed. */
export async function syncFolder(folder: string): Promise<void> {
	if (process.platform === 'win32') return;
	await accessDisk('make durable', folder, async () => {
		const handle = await open(folder, constants.O_RDONLY);
		await handle.sync().finally(() => handle.close());
	});
}
