import type { Stats } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { Failure } from '../../core/failure.ts';
import { readBytes } from '../files/readBytes.ts';
import { readOnly } from './readOnly.ts';

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
