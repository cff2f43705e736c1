/** Whether a journal that is being written is still the file that its name leads to, and whole. */

import { type BigIntStats, fstatSync, lstatSync, readSync } from 'node:fs';
import { errorCode, Failure } from '../../core/failure.ts';
import type { Logger } from '../../session/ports.ts';
import type { JournalFile } from './bodies.ts';
import { storageFailure } from './failure.ts';
import type { OpenFile } from './folder.ts';
import type { HeldBytes } from './heldBytes.ts';
import { readFormatLine } from './journalFile.ts';
import { rewriteJournal } from './rewrite.ts';

/** Checks an open journal around each write, and rewrites it from what this process holds if something is wrong. */
export interface JournalPlace {
	/**
	 * Called before a write at `size`, which is where the file should end.
	 *
	 * @throws Failure `StorageFailed` if the file was cut, and more than what is held in memory is lost; `SessionLocked` if
	 * another process has taken over the state folder. Nothing was written then.
	 */
	beforeWrite(size: number): Promise<void>;
	/** Called after a write of [from, size). Throws as `beforeWrite`. */
	afterWrite(from: number, size: number): Promise<void>;
}

/** What a journal's place is checked with. */
export interface PlaceOptions {
	openFile: OpenFile;
	logger: Logger;
	/** Whether this process still owns the state folder. */
	isOwner(): Promise<boolean>;
}

/**
 * Milliseconds between two writes after which the owner of the folder is checked: another process takes over a folder
 * only after a much longer silence of this one.
 */
const ownerCheckMs = 2000;

// Synchronous calls: the system answers them from memory in a tenth of the time that a thread takes to be asked.

/** The place of an open journal. `file.handle` changes if the file is rewritten. */
export function journalPlaceOf(
	file: JournalFile,
	held: HeldBytes,
	{ openFile, logger, isOwner }: PlaceOptions,
): JournalPlace {
	const { path } = file;
	let own = statOf(file);
	// Some file systems give a file another number each time that it is asked for.
	const isNumbered = isSame(own, namedBy(path));
	let confirmedAt = Date.now();

	async function confirmOwner(): Promise<void> {
		if (!(await isOwner())) throw notOwner(file);
		confirmedAt = Date.now();
	}

	async function rewrite(size: number): Promise<void> {
		await confirmOwner();
		const { start } = held;
		if (start > 0 && !(await isWhole(start)))
			throw new Failure('StorageFailed', `${path} was cut or overwritten while it was open`, { path });
		const copy = await rewriteJournal(file, openFile, {
			head: Buffer.alloc(0),
			to: start,
			tail: held.slice(start, size),
		});
		own = statOf(file);
		const kept = copy === undefined ? '' : `; what had its name is kept as ${copy}`;
		logger.warn(`${path} was moved, deleted or changed while it was open: it was rewritten${kept}`);
	}

	/** Whether the bytes before `end`, which are not in memory, can still be those of the journal. */
	async function isWhole(end: number): Promise<boolean> {
		const { kind } = await readFormatLine(file.handle);
		return kind === 'journal' && !isHole(file, end - 1);
	}

	return {
		async beforeWrite(size) {
			if (Math.abs(Date.now() - confirmedAt) > ownerCheckMs) await confirmOwner();
			if (statOf(file).size !== BigInt(size)) await rewrite(size);
		},
		async afterWrite(from, size) {
			const named = namedBy(path);
			const isHere = named !== undefined && (!isNumbered || isSame(own, named));
			if (!isHere || isHole(file, from - 1)) await rewrite(size);
		},
	};
}

function notOwner({ path, sessionId }: JournalFile): Failure {
	const reason = `another process has taken over the state folder: ${path} is no longer written by this one`;
	return new Failure('SessionLocked', reason, { path, sessionId });
}

function statOf({ handle, path }: JournalFile): BigIntStats {
	try {
		return fstatSync(handle.fd, { bigint: true });
	} catch (error) {
		throw storageFailure('look at', path, error);
	}
}

const oneByte = Buffer.alloc(1);

/** Whether a byte is missing: it is zero, which no byte of a journal is, or lies behind the end of the file. */
function isHole({ handle, path }: JournalFile, offset: number): boolean {
	try {
		return readSync(handle.fd, oneByte, 0, 1, offset) === 0 || oneByte[0] === 0;
	} catch (error) {
		throw storageFailure('read', path, error);
	}
}

function namedBy(path: string): BigIntStats | undefined {
	try {
		return lstatSync(path, { bigint: true, throwIfNoEntry: false });
	} catch (error) {
		if (errorCode(error) === 'ENOTDIR') return undefined;
		throw storageFailure('look at', path, error);
	}
}

function isSame(one: BigIntStats, other: BigIntStats | undefined): boolean {
	return other !== undefined && one.dev === other.dev && one.ino === other.ino;
}
