import { type FileHandle, stat } from 'node:fs/promises';
import { readBytes } from '../files/readBytes.ts';
import { clineTaskFiles, isClineTask } from './clineTaskFiles.ts';
import { documentFile, largestDocument, parsedDocument } from './documentFile.ts';
import { lineFile } from './lineFile.ts';
import { openCodeFiles, openCodeSessionFile } from './openCodeFiles.ts';
import { openFile } from './openFile.ts';
import { sessionDatabase, severalSessions, splitDatabasePath } from './sessionDatabase.ts';
import type { RecordSource } from './source.ts';
import { unreadable } from './unreadable.ts';
import { startsLikeZstd } from './zstd.ts';
import { zstdFile } from './zstdFile.ts';

/** How a SQLite database begins. */
const databaseStart = 'SQLite format 3\u0000';
/** Bytes at the start of a file that show whether it holds lines or one document. */
const headBytes = 1 << 16;

/** The way to read what lies at a path, by what lies there and not by its name. Fails with `FileUnreadable`. */
export async function openSource(path: string): Promise<RecordSource> {
	try {
		const database = splitDatabasePath(path);
		if (database) return await sessionDatabase(database.file, database.sessionId);
		const isFolder = (await stat(path)).isDirectory();
		const session = await openCodeSessionFile(path, isFolder);
		if (session !== undefined) return openCodeFiles(session);
		const kind = await kindOf(path);
		if (isClineTask(path) && kind !== 'compressed') return clineTaskFiles(path);
		switch (kind) {
			case 'compressed':
				return zstdFile(path);
			case 'database':
				throw await severalSessions(path);
			case 'document':
				return documentFile(path);
			case 'lines':
				return lineFile(path);
		}
	} catch (error) {
		throw unreadable(path, error);
	}
}

/**
 * Whether a file is compressed, a database, holds one JSON document over several lines (its first line alone is no JSON,
 * all of it is), or lines.
 */
async function kindOf(path: string): Promise<'compressed' | 'database' | 'document' | 'lines'> {
	const { handle, stats } = await openFile(path);
	try {
		const head = await readBytes(handle, 0, Math.min(stats.size, headBytes));
		if (startsLikeZstd(head)) return 'compressed';
		if (head.subarray(0, databaseStart.length).toString('latin1') === databaseStart) return 'database';
		const text = head
			.toString('utf8')
			.replace(/^\uFEFF/, '')
			.trimStart();
		const feed = text.indexOf('\n');
		if (!/^[{[]/.test(text) || feed < 0 || stats.size > largestDocument) return 'lines';
		if (parsedDocument(text.slice(0, feed)) !== undefined) return 'lines';
		return (await isWholeDocument(handle, stats.size)) ? 'document' : 'lines';
	} finally {
		await handle.close();
	}
}

async function isWholeDocument(handle: FileHandle, size: number): Promise<boolean> {
	const bytes = await readBytes(handle, 0, size);
	return parsedDocument(bytes.toString('utf8')) !== undefined;
}
