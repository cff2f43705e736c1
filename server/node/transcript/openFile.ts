import { constants, readFileSync, type Stats, statSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { errorCode, errorText, Failure } from '../../core/failure.ts';
import { readBytes } from '../files/readBytes.ts';

/** Flags for opening a file: opening a pipe must not wait for a writer. */
export const readOnlyFlags = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0);

/** Opens a regular file for reading; refuses pipes, devices and folders, checked on the opened handle. */
export async function openFile(path: string): Promise<{ handle: FileHandle; stats: Stats }> {
	const handle = await open(path, readOnlyFlags);
	try {
		const stats = await handle.stat();
		if (stats.isFile()) return { handle, stats };
		const what = stats.isDirectory() ? 'a folder' : 'not a regular file';
		throw new Failure('FileUnreadable', `cannot read ${path}: it is ${what}`, { path });
	} catch (error) {
		await handle.close();
		throw error;
	}
}

/** The first bytes of a file; all of a small one. */
export interface FileStart {
	bytes: Buffer;
	/** Bytes of the whole file. */
	size: number;
}

/** The bytes of a regular file, at most `maxBytes`. */
export async function readWholeFile(path: string, maxBytes: number): Promise<Buffer> {
	const { handle, stats } = await openFile(path);
	try {
		return await readBytes(handle, 0, Math.min(stats.size, maxBytes));
	} finally {
		await handle.close();
	}
}

/** Milliseconds within which a file system may give two changes the same time. */
const clockTickMs = 100;

/** Whether a file's time is so long ago that a change from now on will have a different one. */
export function isTimeSettled(mtimeMs: number): boolean {
	return Math.abs(Date.now() - mtimeMs) > clockTickMs;
}

const reasons: Readonly<Record<string, string>> = {
	ENOENT: 'there is no such file',
	ENOTDIR: 'there is no such file',
	EACCES: 'permission denied',
	EPERM: 'permission denied',
	EISDIR: 'it is a folder',
	ELOOP: 'too many symbolic links',
};

/** The failure of a transcript that cannot be read. */
export function unreadableTranscript(path: string, error: unknown): Failure {
	if (error instanceof Failure) return error;
	const code = errorCode(error);
	const why = reasons[code] ?? errorText(error);
	return new Failure('FileUnreadable', `cannot read ${path}: ${why}`, { path, code }, error);
}

/** Maximum bytes of a small file. */
const maxSmallFileBytes = 16 << 20;

/** The text of a file, read synchronously; empty if it is missing, unreadable or too large. */
export function readTextNow(path: string): string {
	try {
		const stats = statSync(path, { throwIfNoEntry: false });
		return stats?.isFile() && stats.size <= maxSmallFileBytes ? readFileSync(path, 'utf8') : '';
	} catch (error) {
		if (['ENOENT', 'ENOTDIR', 'EACCES', 'EPERM', 'ELOOP'].includes(errorCode(error))) return '';
		throw error;
	}
}
