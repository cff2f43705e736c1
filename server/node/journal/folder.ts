/** The folder of journals and the files in it: who may read them, and how they come into being. */

import { constants } from 'node:fs';
import { chmod, type FileHandle, lstat, mkdir, open, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { ifThere } from '../../core/failure.ts';
import { onStorage, storageFailure } from './failure.ts';
import { fileNameOf, journalSuffix } from './fileName.ts';

/** Opens a file; a test puts a failing one in its place. */
export type OpenFile = (path: string, flags: number, mode: number) => Promise<FileHandle>;

/** Opens a file of the real file system. */
export const openFileOnDisk: OpenFile = (path, flags, mode) => open(path, flags, mode);

const folderMode = 0o700;
const fileMode = 0o600;
// Neither a link that leads elsewhere nor a pipe that makes the opener wait; Windows knows neither flag.
const plainFile = (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

/** Where the journals of a state folder lie. */
export function sessionsFolder(directory: string): string {
	return join(directory, 'sessions');
}

/** Where the journal of a session lies. */
export function journalPath(directory: string, sessionId: string): string {
	return join(sessionsFolder(directory), fileNameOf(sessionId) + journalSuffix);
}

/** Where earlier versions put the lock of a session, which is a folder. */
export function oldLockPath(directory: string, sessionId: string): string {
	return join(sessionsFolder(directory), `${fileNameOf(sessionId)}.lock`);
}

/** Makes the state folder and its sessions folder where absent, and closes both to other users. */
export async function prepareFolder(directory: string): Promise<void> {
	const sessions = sessionsFolder(directory);
	await prepareSessions(sessions);
	await onStorage('prepare the folder', sessions, async () => {
		// One that belongs to another user (a shared folder) stays as it is: what lies in it is closed all the same.
		if ((await stat(directory)).uid === (process.getuid?.() ?? 0)) await close(directory);
	});
}

/** Makes the folder of journals where absent, and closes it to other users. */
export async function prepareSessions(sessions: string): Promise<void> {
	await onStorage('prepare the folder', sessions, async () => {
		await mkdir(sessions, { recursive: true, mode: folderMode });
		await close(sessions);
	});
}

async function close(folder: string): Promise<void> {
	// One that is closed already may lie where nothing can be changed.
	if (((await stat(folder)).mode & 0o777) !== folderMode) await chmod(folder, folderMode);
}

/** Opens a journal for reading and writing and closes it to other users; undefined when there is none. */
export async function openForWriting(openFile: OpenFile, path: string): Promise<FileHandle | undefined> {
	const handle = await openPlainFile(openFile, path, constants.O_RDWR);
	if (handle === undefined) return undefined;
	try {
		await handle.chmod(fileMode);
		return handle;
	} catch (error) {
		await handle.close();
		throw storageFailure('close to other users', path, error);
	}
}

/** Opens a journal for reading; undefined when there is none. */
export function openForReading(openFile: OpenFile, path: string): Promise<FileHandle | undefined> {
	return openPlainFile(openFile, path, constants.O_RDONLY);
}

async function openPlainFile(
	openFile: OpenFile,
	path: string,
	access: number,
): Promise<FileHandle | undefined> {
	return onStorage('open', path, async () => {
		const handle = await ifThere(openFile(path, access | plainFile, fileMode));
		if (!handle || (await handle.stat()).isFile()) return handle;
		await handle.close();
		throw new Error('not a regular file');
	});
}

/** Whether anything bears that name. */
export async function exists(path: string): Promise<boolean> {
	return (await modifiedAt(path)) !== undefined;
}

/** When a file was last written, in milliseconds since the epoch; undefined where there is none. */
export async function modifiedAt(path: string): Promise<number | undefined> {
	return (await onStorage('look at', path, () => ifThere(lstat(path))))?.mtimeMs;
}

/** Puts a file with these bytes in place at once and durably: after a crash it is there whole or not at all. */
export async function placeFile(openFile: OpenFile, path: string, bytes: Buffer): Promise<void> {
	const draft = `${path}.new`;
	try {
		const handle = await openDraft(openFile, draft);
		try {
			await handle.writeFile(bytes);
			await handle.datasync();
		} finally {
			await handle.close();
		}
		await rename(draft, path);
	} catch (error) {
		throw storageFailure('create', path, error);
	}
}

/** Opens a new file that is to take another's place; what a process that died left of one goes. */
export async function openDraft(openFile: OpenFile, draft: string): Promise<FileHandle> {
	await onStorage('create', draft, () => rm(draft, { force: true }));
	const access = constants.O_CREAT | constants.O_EXCL | constants.O_RDWR;
	return onStorage('create', draft, () => openFile(draft, access, fileMode));
}

/** Makes names that were made or removed in a folder durable. Windows has no such call and needs none. */
export async function syncFolder(folder: string): Promise<void> {
	if (process.platform === 'win32') return;
	try {
		const handle = await open(folder, constants.O_RDONLY);
		try {
			await handle.sync();
		} finally {
			await handle.close();
		}
	} catch (error) {
		throw storageFailure('make durable', folder, error);
	}
}
