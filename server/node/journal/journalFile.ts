/** Checks that a file is the journal of a session, by its first line. */

import type { FileHandle } from 'node:fs/promises';
import { basename } from 'node:path';
import { Failure } from '../../core/failure.ts';
import { createStorageFailure } from '../disk/durableFile.ts';
import type { JournalFile } from './bodies.ts';
import { encodeFileName, journalSuffix } from './fileName.ts';
import { encodeFormatLine, type FormatLine, formatVersion, maxLineBytes, parseFormatLine } from './format.ts';

/** An open file of a journal, whose first line was checked. */
export interface OpenedFile extends JournalFile {
	/** Where the records begin, in bytes. */
	start: number;
	/** Size of the whole file, in bytes. */
	size: number;
	/** When it was last written, in milliseconds since the epoch. */
	modifiedAt: number;
	/** Whether the first line is damaged, so that the session is known only from the file's name. */
	isHeadDamaged: boolean;
}

/** Reads the first line of an open file. */
export async function readFormatLine(handle: FileHandle): Promise<FormatLine> {
	const bytes = Buffer.allocUnsafe(maxLineBytes);
	const { bytesRead } = await handle.read(bytes, 0, bytes.length, 0);
	return parseFormatLine(bytes.subarray(0, bytesRead));
}

/**
 * Checks that an open file is the journal of the session in its name; closes the file if not. A journal with a damaged first
 * line is accepted.
 *
 * @param fallbackId the session id to assume if the first line is damaged; by default the file's name, which equals an id
 * that needs no encoding
 * @throws Failure `StorageFailed` if the file is not that journal, or was written by a newer version
 */
export async function checkJournalFile(
	handle: FileHandle,
	path: string,
	fallbackId = basename(path, journalSuffix),
): Promise<OpenedFile> {
	try {
		const line = await readFormatLine(handle);
		const isHeadDamaged = line.kind === 'damaged';
		if (line.kind !== 'journal' && !isHeadDamaged) throw new Error(describeRefusal(line));
		const sessionId = line.kind === 'journal' ? line.sessionId : fallbackId;
		if (encodeFileName(sessionId) + journalSuffix !== basename(path))
			throw new Error(`it contains session ${JSON.stringify(sessionId)}, which does not match its name`);
		const { size, mtimeMs: modifiedAt } = await handle.stat();
		const start = line.kind === 'journal' ? line.length : encodeFormatLine(sessionId).length;
		return { handle, path, sessionId, start, size, modifiedAt, isHeadDamaged };
	} catch (error) {
		await handle.close();
		throw createStorageFailure('open', path, error);
	}
}

function describeRefusal(line: FormatLine): string {
	if (line.kind !== 'newer') return 'it is not a journal of contextd';
	return `it has format version ${line.version}, but this contextd reads up to ${formatVersion}: a newer contextd wrote it`;
}

/** Creates a `SessionNotFound` for a session without a journal. */
export function createNotFoundFailure(sessionId: string): Failure {
	return new Failure('SessionNotFound', `there is no session ${JSON.stringify(sessionId)}`, { sessionId });
}
