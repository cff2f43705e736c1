/** Opens the file of a journal and reads what its first line says. */

import type { FileHandle } from 'node:fs/promises';
import { Failure } from '../../core/failure.ts';
import { type JournalFile, readRange } from './bodies.ts';
import { storageFailure } from './failure.ts';
import {
	encodeFormatLine,
	type FormatLine,
	formatVersion,
	holdsHeaderStart,
	maximumFormatLineBytes,
	parseFormatLine,
} from './format.ts';

/** Bytes in which the first record of a journal begins, whatever happened to its first line. */
const firstRecordBytes = 64 * 1024;

/** A journal's file, its first line checked. */
export interface OpenedFile extends JournalFile {
	/** Where the records begin, in bytes. */
	start: number;
	/** Bytes of the whole file. */
	size: number;
	/** The file's name says whose journal it is, its first line does not. */
	isHeadDamaged: boolean;
}

/** What the first line of an open file says. */
export async function readFormatLine(handle: FileHandle): Promise<FormatLine> {
	const bytes = Buffer.allocUnsafe(maximumFormatLineBytes);
	const { bytesRead } = await handle.read(bytes, 0, bytes.length, 0);
	return parseFormatLine(bytes.subarray(0, bytesRead));
}

/**
 * Checks that an open file is the journal of that session; closes it if it is not. A damaged first line is known by what
 * is left of it, or by the records behind it.
 *
 * @throws Failure `SessionNotFound` if there is no file, `StorageFailed` if it is not this session's journal or was
 * written by a newer version.
 */
export async function checkedFile(
	handle: FileHandle | undefined,
	path: string,
	sessionId: string,
): Promise<OpenedFile> {
	if (handle === undefined) throw sessionNotFound(sessionId);
	try {
		const file = { handle, path, sessionId };
		const line = await readFormatLine(handle);
		const { size } = await handle.stat();
		if (await isDamagedHead(file, line)) {
			return { ...file, size, start: encodeFormatLine(sessionId).length, isHeadDamaged: true };
		}
		if (line.kind !== 'journal') throw unreadable(line, path);
		if (line.sessionId !== sessionId) {
			throw storageFailure(
				'open',
				path,
				new Error(`it holds session ${JSON.stringify(line.sessionId)}, not ${JSON.stringify(sessionId)}`),
			);
		}
		return { ...file, size, start: line.length, isHeadDamaged: false };
	} catch (error) {
		await handle.close();
		throw storageFailure('open', path, error);
	}
}

/** Whether a file is the journal of its session although its first line does not say so. */
export async function isDamagedHead(file: JournalFile, line: FormatLine): Promise<boolean> {
	if (line.kind !== 'foreign') return line.kind === 'damaged';
	return holdsHeaderStart(await readRange(file, 0, firstRecordBytes));
}

/** A `SessionNotFound` for a session without a journal. */
export function sessionNotFound(sessionId: string): Failure {
	return new Failure('SessionNotFound', `there is no session ${JSON.stringify(sessionId)}`, { sessionId });
}

function unreadable(line: Exclude<FormatLine, { kind: 'journal' }>, path: string): Failure {
	const reason =
		line.kind === 'newer'
			? `it has format version ${line.version}, this contextd reads up to ${formatVersion}: a newer contextd wrote it`
			: 'it is not a journal of contextd';
	return storageFailure('open', path, new Error(reason));
}
