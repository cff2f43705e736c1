import { type FileHandle, open, stat } from 'node:fs/promises';
import { readBytes } from '../files/readBytes.ts';
import { documentFile, largestDocument, parsedDocument } from './documentFile.ts';
import { lineFile } from './lineFile.ts';
import { openCodeDatabase, splitDatabasePath } from './openCodeDatabase.ts';
import { openCodeFiles, openCodeSessionFile } from './openCodeFiles.ts';
import type { RecordSource } from './source.ts';
import { unreadable } from './unreadable.ts';
import { isZstd, zstdFile } from './zstdFile.ts';

/** Bytes at the start of a file that show whether it holds lines or one document. */
const headBytes = 1 << 16;

/** The way to read what lies at a path, by what lies there and not by its name. Fails with `FileUnreadable`. */
export async function openSource(path: string): Promise<RecordSource> {
	try {
		const database = splitDatabasePath(path);
		if (database) return await openCodeDatabase(database.file, database.sessionId);
		const { isFolder, size } = await look(path);
		const session = await openCodeSessionFile(path, isFolder);
		if (session !== undefined) return openCodeFiles(session);
		if (await isZstd(path)) return zstdFile(path);
		return (await isDocument(path, size)) ? documentFile(path) : lineFile(path);
	} catch (error) {
		throw unreadable(path, error);
	}
}

async function look(path: string): Promise<{ isFolder: boolean; size: number }> {
	const stats = await stat(path);
	return { isFolder: stats.isDirectory(), size: stats.size };
}

/** Whether the file is one JSON document over several lines: its first line alone is no JSON, all of it is. */
async function isDocument(path: string, size: number): Promise<boolean> {
	const handle = await open(path, 'r');
	try {
		const head = await readBytes(handle, 0, Math.min(size, headBytes));
		const text = head
			.toString('utf8')
			.replace(/^\uFEFF/, '')
			.trimStart();
		const feed = text.indexOf('\n');
		if (!/^[{[]/.test(text) || feed < 0 || size > largestDocument) return false;
		if (parsedDocument(text.slice(0, feed)) !== undefined) return false;
		return await isWholeDocument(handle, size);
	} finally {
		await handle.close();
	}
}

async function isWholeDocument(handle: FileHandle, size: number): Promise<boolean> {
	const bytes = await readBytes(handle, 0, size);
	return parsedDocument(bytes.toString('utf8')) !== undefined;
}
