import { lstat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Failure } from '../../core/failure.ts';
import type { FileFacts } from '../../core/files/knownFile.ts';
import type { FileReader } from '../../session/files/reader.ts';
import { openInWorkspace } from './access.ts';
import { locate } from './locate.ts';
import { contentHashOf } from './readFile.ts';
import { readForWindow } from './readForWindow.ts';

/** The files of this machine. */
export const fileReader: FileReader = { read: readForWindow, locate, changedAt, facts };

async function changedAt(path: string): Promise<number | undefined> {
	try {
		const stats = await lstat(path);
		// A file that was moved here or copied with its date keeps that date, but changed its status now.
		return stats.isFile() ? Math.max(stats.mtimeMs, stats.ctimeMs) : undefined;
	} catch (error) {
		if (error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR')) {
			return undefined;
		}
		throw error;
	}
}

async function facts(path: string): Promise<FileFacts | undefined> {
	try {
		// A link that took the file's place leads out of this folder, or to another file that is watched itself.
		const file = await openInWorkspace(path, [dirname(path)]);
		try {
			return { contentHash: await contentHashOf(file), modifiedAt: file.modifiedAt };
		} finally {
			await file.handle.close();
		}
	} catch (error) {
		if (isAbsence(error)) return undefined;
		throw error;
	}
}

/** No file is there, or something that is no regular file. */
function isAbsence(error: unknown): boolean {
	if (!(error instanceof Failure)) return false;
	if (error.kind === 'OutsideWorkspace') return true;
	const { code } = error.data;
	return error.kind === 'FileUnreadable' && (code === undefined || code === 'ENOENT' || code === 'ENOTDIR');
}
