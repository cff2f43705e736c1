/** Opens the file of a journal and reads its first line. */

import type { FileHandle } from 'node:fs/promises';
import { basename } from 'node:path';
import { Failure } from '../../core/failure.ts';
import { storageFailure } from '../disk/durableFile.ts';
import type { JournalFile } from './bodies.ts';
import { encodeFileName, journalSuffix } from './fileName.ts';
import {
	encodeFormatLine,
	type FormatLine,
	formatVersion,
	maximumFormatLineBytes,
	parseFormatLine,
} from './format.ts';

/** A journal's file with a checked first line. */
export interface OpenedFile extends JournalFile {
	/** Start of the records, in bytes. */
	start: number;
	/** Size of the whole file, in bytes. */
	size: number;
	/** When it was last written, in milliseconds since the epoch. */
	modifiedAt: number;
	/** Whether the session is known only from the file's name, because the first line is damaged. */
	isHeadDamaged: boolean;
}

/** Reads the first line of an open file. */
export async function readFormatLine(handle: FileHandle): Promise<FormatLine> {
	const bytes = Buffer.allocUnsafe(maximumFormatLineBytes);
	const { bytesRead } = await handle.read(bytes, 0, bytes.length, 0);
	return parseFormatLine(bytes.subarray(0, bytesRead));
}

/**
 * Checks that an open file is the journal of the session in its name; closes it if it is not.
 *
 * A damaged first line is recognized by its remains, or by the records after it.
 *
 * @param named the session id; by default taken from the file's name, which a plain id equals
 * @throws Failure `StorageFailed` if it is not that journal, or was written by a newer version
 */
export async function checkJournalFile(
	handle: FileHandle,
	path: string,
	named = basename(path, journalSuffix),
): Promise<OpenedFile> {
	try {
		const line = await readFormatLine(handle);
		const isHeadDamaged = line.kind === 'damaged';
		if (line.kind !== 'journal' && !isHeadDamaged) throw new Error(reasonOf(line));
		const sessionId = line.kind === 'journal' ? line.sessionId : named;
		if (encodeFileName(sessionId) + journalSuffix !== basename(path)) {
			throw new Error(`it contains session ${JSON.stringify(sessionId)}, which does not match its name`);
		}
		const { size, mtimeMs: modifiedAt } = await handle.stat();
		const start = line.kind === 'journal' ? line.length : encodeFormatLine(sessionId).length;
		return { handle, path, sessionId, start, size, modifiedAt, isHeadDamaged };
	} catch (error) {
		await handle.close();
		throw storageFailure('open', path, error);
	}
}

function reasonOf(line: FormatLine): string {
	if (line.kind !== 'newer') return 'it is not a journal of contextd';
	return `it has format version ${line.version}, but this contextd reads up to ${formatVersion}: a newer contextd wrote it`;
}

/** A `SessionNotFound` for a session without a journal. */
export function sessionNotFound(sessionId: string): Failure {
	return new Failure('SessionNotFound', `there is no session ${JSON.stringify(sessionId)}`, { sessionId });
}
