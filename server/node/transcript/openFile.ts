import { constants, readFileSync, type Stats, statSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { errorCode, errorText, Failure } from '../../core/failure.ts';
import { readBytes } from '../disk/readBytes.ts';

/** Flags for opening a file for reading, without waiting for the writer of a pipe. */
export const readOnlyFlags = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0);

/** Opens a regular file for reading. Refuses pipes, devices and folders, by checking the open handle. */
export async function openFile(path: string): Promise<{ handle: FileHandle; stats: Stats }> {
	const handle = await open(path, readOnlyFlags);
	try {
		const stats = await handle.stat();
		if (stats.isFile()) return { handle, stats };
		const fileType = stats.isDirectory() ? 'a folder' : 'not a regular file';
		throw new Failure('FileUnreadable', `cannot read ${path}: it is ${fileType}`, { path });
	} catch (error) {
		await handle.close();
		throw error;
	}
}

/** The first bytes of a file, or all bytes of a small file. */
export interface FileStart {
	bytes: Buffer;
	/** Size of the whole file in bytes. */
	size: number;
}

/** Reads the first `maxBytes` of a regular file, or all of a smaller one. */
export async function readWholeFile(path: string, maxBytes: number): Promise<Buffer> {
	const { handle, stats } = await openFile(path);
	try {
		return await readBytes(handle, 0, Math.min(stats.size, maxBytes));
	} finally {
		await handle.close();
	}
}

/** Two changes of a file within this many milliseconds may get the same time. */
const clockTickMs = 100;

/** Whether a file's time is so long ago that any later change will have a different time. */
export function isTimeSettled(mtimeMs: number): boolean {
	return Math.abs(Date.now() - mtimeMs) > clockTickMs;
}

const reasonsByCode: Readonly<Record<string, string>> = {
	ENOENT: 'there is no such file',
	ENOTDIR: 'there is no such file',
	EACCES: 'permission denied',
	EPERM: 'permission denied',
	EISDIR: 'it is a folder',
	ELOOP: 'too many symbolic links',
};

/** Converts an error to the failure for a transcript that cannot be read. */
export function toUnreadableFailure(path: string, error: unknown): Failure {
	if (error instanceof Failure) return error;
	const code = errorCode(error);
	const reason = reasonsByCode[code] ?? errorText(error);
	return new Failure('FileUnreadable', `cannot read ${path}: ${reason}`, { path, code }, error);
}

/** Maximum bytes of a file that is read synchronously. */
const maxSmallFileBytes = 16 << 20;

/** Reads the text of a file synchronously; empty if the file is missing, unreadable or too large. */
export function readTextNow(path: string): string {
	try {
		const stats = statSync(path, { throwIfNoEntry: false });
		return stats?.isFile() && stats.size <= maxSmallFileBytes ? readFileSync(path, 'utf8') : '';
	} catch (error) {
		if (['ENOENT', 'ENOTDIR', 'EACCES', 'EPERM', 'ELOOP'].includes(errorCode(error))) return '';
		throw error;
	}
}
