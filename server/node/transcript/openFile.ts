import { constants, readFileSync, type Stats, statSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { errorCode, errorText, Failure } from '../../core/failure.ts';
import { readBytes } from '../files/readBytes.ts';

/** How a file is opened for reading: opening a pipe must not wait for somebody who writes to it. */
export const readOnly = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0);

/** Opens a plain file for reading; pipes, devices and folders are refused, judged by what was opened. */
export async function openFile(path: string): Promise<{ handle: FileHandle; stats: Stats }> {
	const handle = await open(path, readOnly);
	try {
		const stats = await handle.stat();
		if (stats.isFile()) return { handle, stats };
		const what = stats.isDirectory() ? 'a folder' : 'no plain file';
		throw new Failure('FileUnreadable', `${path} cannot be read: it is ${what}`, { path });
	} catch (error) {
		await handle.close();
		throw error;
	}
}

/** The bytes of a plain file, no more than so many. */
export async function readWhole(path: string, most: number): Promise<Buffer> {
	const { handle, stats } = await openFile(path);
	try {
		return await readBytes(handle, 0, Math.min(stats.size, most));
	} finally {
		await handle.close();
	}
}

/** Milliseconds in which a file system may give two changes the same time. */
const clockTick = 100;

/** Whether a file's time is so long ago that a change from now on has another one. */
export function isSettled(mtimeMs: number): boolean {
	return Math.abs(Date.now() - mtimeMs) > clockTick;
}

const reasons: Readonly<Record<string, string>> = {
	ENOENT: 'there is no such file',
	ENOTDIR: 'there is no such file',
	EACCES: 'permission denied',
	EPERM: 'permission denied',
	EISDIR: 'it is a folder',
	ELOOP: 'too many symbolic links',
};

/** The failure of a transcript that the system did not let us read. */
export function unreadableTranscript(path: string, error: unknown): Failure {
	if (error instanceof Failure) return error;
	const code = errorCode(error);
	const why = reasons[code] ?? errorText(error);
	return new Failure('FileUnreadable', `${path} cannot be read: ${why}`, { path, code }, error);
}

/** Bytes of a small file that are read at most. */
const largest = 16 << 20;

/** The text of a file, without waiting; empty where it is not there, may not be read, or is too large. */
export function textNow(path: string): string {
	try {
		const stats = statSync(path, { throwIfNoEntry: false });
		return stats?.isFile() && stats.size <= largest ? readFileSync(path, 'utf8') : '';
	} catch (error) {
		if (['ENOENT', 'ENOTDIR', 'EACCES', 'EPERM', 'ELOOP'].includes(errorCode(error))) return '';
		throw error;
	}
}
