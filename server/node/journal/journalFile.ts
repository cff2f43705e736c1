/** Opens the file of a journal and reads what its first line says. */

import type { FileHandle } from 'node:fs/promises';
import { Failure } from '../../core/failure.ts';
import type { Salvaged } from '../../session/ports.ts';
import type { JournalFile } from './bodies.ts';
import { storageFailure } from './failure.ts';
import { type FormatLine, formatVersion, maximumFormatLineBytes, parseFormatLine } from './format.ts';
import { nextHeader } from './nextHeader.ts';

/** Bytes in which the first record of a journal begins, whatever became of its first line. */
const furthestStart = 1024 * 1024;

/** A journal's file, its first line checked. */
export interface OpenedFile extends JournalFile {
	/** Where the records begin, in bytes. */
	start: number;
	/** Bytes of the whole file. */
	size: number;
	/** What was lost of it, where it was damaged and is whole again. */
	salvaged?: Salvaged;
}

/** What the first line of an open file says. */
export async function readFormatLine(handle: FileHandle): Promise<FormatLine> {
	const bytes = Buffer.allocUnsafe(maximumFormatLineBytes);
	const { bytesRead } = await handle.read(bytes, 0, bytes.length, 0);
	return parseFormatLine(bytes.subarray(0, bytesRead));
}

/**
 * Checks that an open file is the journal of that session; closes it when it is not. Where only its first line is
 * damaged, its records begin at byte 0, where none of them is: the file's name says whose they are.
 *
 * @throws Failure `SessionNotFound` when there is no file, `StorageFailed` when it is not this session's
 * journal, holds no record behind a damaged start, or was written by a newer version.
 */
export async function checkedFile(
	handle: FileHandle | undefined,
	path: string,
	sessionId: string,
): Promise<OpenedFile> {
	if (handle === undefined) throw sessionNotFound(sessionId);
	try {
		const line = await readFormatLine(handle);
		const { size } = await handle.stat();
		const isDamaged = line.kind === 'damaged' || line.kind === 'foreign';
		if (isDamaged && (await holdsRecords(handle, path, size)))
			return { handle, path, sessionId, start: 0, size };
		if (line.kind !== 'journal') throw unreadable(line, path);
		if (line.sessionId !== sessionId) {
			throw storageFailure(
				'open',
				path,
				new Error(`it holds session ${JSON.stringify(line.sessionId)}, not ${JSON.stringify(sessionId)}`),
			);
		}
		return { handle, path, sessionId, start: line.length, size };
	} catch (error) {
		await handle.close();
		throw storageFailure('open', path, error);
	}
}

/** Whether a file whose first line is none of a journal goes on like one. */
export async function holdsRecords(handle: FileHandle, path: string, size: number): Promise<boolean> {
	const first = await nextHeader({ handle, path, sessionId: '' }, 0, Math.min(size, furthestStart));
	return typeof first === 'number';
}

/** A `SessionNotFound` for a session without a journal. */
export function sessionNotFound(sessionId: string): Failure {
	return new Failure('SessionNotFound', `there is no session ${JSON.stringify(sessionId)}`, { sessionId });
}

function unreadable(line: Exclude<FormatLine, { kind: 'journal' }>, path: string): Failure {
	const reasons = {
		newer: `it has format version ${line.kind === 'newer' ? line.version : ''}, this contextd reads up to ${formatVersion}: a newer contextd wrote it`,
		damaged: 'its first line is damaged',
		foreign: 'it is not a journal of contextd',
	};
	return storageFailure('open', path, new Error(reasons[line.kind]));
}
