/** Creates the folder of journals and opens its files, with private permissions. */

import { constants } from 'node:fs';
import { chmod, type FileHandle, lstat, mkdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { ifExists } from '../../core/failure.ts';
import { accessDisk, createStorageFailure, type OpenFile, privateFileMode } from '../disk/durableFile.ts';
import { encodeFileName, journalSuffix } from './fileName.ts';

const folderMode = 0o700;
const stickyBit = 0o1000;
/** Flags for opening a file that refuse links and never block on a pipe; Windows has neither flag. */
const plainFileFlags = (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

/** Returns the folder with the journals in a state folder. */
export function getSessionsFolder(directory: string): string {
	return join(directory, 'sessions');
}

/** Returns the path of a session's journal. */
export function getJournalPath(directory: string, sessionId: string): string {
	return join(getSessionsFolder(directory), encodeFileName(sessionId) + journalSuffix);
}

/** Returns the path of the folder that earlier versions used as the lock of a session. */
export function getOldLockPath(directory: string, sessionId: string): string {
	return join(getSessionsFolder(directory), `${encodeFileName(sessionId)}.lock`);
}

/** Creates the state folder and its folder of journals if needed. Makes both private, unless they are shared. */
export async function prepareFolder(directory: string): Promise<void> {
	const sessions = getSessionsFolder(directory);
	await accessDisk('prepare the folder', sessions, async () => {
		await mkdir(sessions, { recursive: true, mode: folderMode });
		for (const folder of [directory, sessions]) {
			const { mode, uid } = await stat(folder);
			// A shared folder (sticky, such as /tmp) or another user's folder is left unchanged: the files in it are private.
			const isOwn = uid === (process.getuid?.() ?? 0) && (mode & stickyBit) === 0;
			if (isOwn && (mode & 0o777) !== folderMode) await chmod(folder, folderMode);
		}
	});
}

/** Opens a journal for reading and writing, and makes its file private; undefined if there is no file. */
export async function openForWriting(openFile: OpenFile, path: string): Promise<FileHandle | undefined> {
	const handle = await openPlainFile(openFile, path, constants.O_RDWR);
	if (handle === undefined) return undefined;
	try {
		await handle.chmod(privateFileMode);
		return handle;
	} catch (error) {
		await handle.close();
		throw createStorageFailure('make private', path, error);
	}
}

/** Opens a journal for reading; undefined if there is no file. */
export function openForReading(openFile: OpenFile, path: string): Promise<FileHandle | undefined> {
	return openPlainFile(openFile, path, constants.O_RDONLY);
}

async function openPlainFile(open: OpenFile, path: string, access: number): Promise<FileHandle | undefined> {
	return accessDisk('open', path, async () => {
		const handle = await ifExists(open(path, access | plainFileFlags, privateFileMode));
		if (!handle || (await handle.stat()).isFile()) return handle;
		await handle.close();
		throw new Error('not a regular file');
	});
}

/** Whether a file or folder with this path exists. */
export async function pathExists(path: string): Promise<boolean> {
	return (await readModifiedAt(path)) !== undefined;
}

/** Returns when a file was last written, in milliseconds since the epoch; undefined if there is no file. */
export async function readModifiedAt(path: string): Promise<number | undefined> {
	return (await accessDisk('look at', path, () => ifExists(lstat(path))))?.mtimeMs;
}
