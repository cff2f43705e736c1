/** The folder of journals and its files: permissions and how they are created. */

import { constants } from 'node:fs';
import { chmod, type FileHandle, lstat, mkdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { ifExists } from '../../core/failure.ts';
import { type OpenFile, privateFileMode, runStorageOperation, storageFailure } from '../disk/durableFile.ts';
import { encodeFileName, journalSuffix } from './fileName.ts';

const folderMode = 0o700;
const stickyBit = 0o1000;
// Refuses links, and does not block on a pipe; Windows has neither flag.
const plainFileFlags = (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

/** The folder with the journals of a state folder. */
export function sessionsFolder(directory: string): string {
	return join(directory, 'sessions');
}

/** The path of a session's journal. */
export function journalPath(directory: string, sessionId: string): string {
	return join(sessionsFolder(directory), encodeFileName(sessionId) + journalSuffix);
}

/** The path of a session's lock in earlier versions, which is a folder. */
export function oldLockPath(directory: string, sessionId: string): string {
	return join(sessionsFolder(directory), `${encodeFileName(sessionId)}.lock`);
}

/** Creates the state folder and its folder of journals if needed, and makes both private unless they are shared. */
export async function prepareFolder(directory: string): Promise<void> {
	const sessions = sessionsFolder(directory);
	await runStorageOperation('prepare the folder', sessions, async () => {
		await mkdir(sessions, { recursive: true, mode: folderMode });
		for (const folder of [directory, sessions]) {
			const { mode, uid } = await stat(folder);
			// A folder that is shared (sticky, as /tmp is) or another user's is left unchanged: its files are private anyway.
			const isOwn = uid === (process.getuid?.() ?? 0) && (mode & stickyBit) === 0;
			if (isOwn && (mode & 0o777) !== folderMode) await chmod(folder, folderMode);
		}
	});
}

/** Opens a journal for reading and writing and makes it private; undefined if there is none. */
export async function openForWriting(openFile: OpenFile, path: string): Promise<FileHandle | undefined> {
	const handle = await openPlainFile(openFile, path, constants.O_RDWR);
	if (handle === undefined) return undefined;
	try {
		await handle.chmod(privateFileMode);
		return handle;
	} catch (error) {
		await handle.close();
		throw storageFailure('make private', path, error);
	}
}

/** Opens a journal for reading; undefined if there is none. */
export function openForReading(openFile: OpenFile, path: string): Promise<FileHandle | undefined> {
	return openPlainFile(openFile, path, constants.O_RDONLY);
}

async function openPlainFile(
	openFile: OpenFile,
	path: string,
	access: number,
): Promise<FileHandle | undefined> {
	return runStorageOperation('open', path, async () => {
		const handle = await ifExists(openFile(path, access | plainFileFlags, privateFileMode));
		if (!handle || (await handle.stat()).isFile()) return handle;
		await handle.close();
		throw new Error('not a regular file');
	});
}

/** Whether a file or folder with this path exists. */
export async function pathExists(path: string): Promise<boolean> {
	return (await modifiedAt(path)) !== undefined;
}

/** When a file was last written, in milliseconds since the epoch; undefined if there is none. */
export async function modifiedAt(path: string): Promise<number | undefined> {
	return (await runStorageOperation('look at', path, () => ifExists(lstat(path))))?.mtimeMs;
}
