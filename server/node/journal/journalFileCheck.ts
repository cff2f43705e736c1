/** Checks whether a journal that is being written is still complete and at its path. */

import { type BigIntStats, fstatSync, lstatSync, readSync } from 'node:fs';
import { Failure } from '../../core/failure.ts';
import type { Logger } from '../../session/ports.ts';
import type { OpenFile } from '../disk/durableFile.ts';
import type { JournalFile } from './bodies.ts';
import { readFormatLine } from './journalFile.ts';
import type { JournalTail } from './journalTail.ts';
import { rewriteJournal } from './rewrite.ts';

export interface JournalFileCheckOptions {
	openFile: OpenFile;
	logger: Logger;
	/** Whether this process still owns the state folder. */
	isOwner(): Promise<boolean>;
}

/**
 * After a pause of this many milliseconds, the owner of the folder is checked before a write. Short enough: another process takes
 * over a folder only after a much longer silence.
 */
const ownerCheckMs = 2000;

// The calls below are synchronous: the system answers them from memory, in a tenth of the time of a thread switch.

/**
 * Checks an open journal around each write.
 *
 * If the file was moved, replaced, truncated or deleted, it is rewritten with the bytes that this process has, and `file.handle`
 * changes.
 */
export class JournalFileCheck {
	private readonly file: JournalFile;
	private readonly tail: JournalTail;
	private readonly options: JournalFileCheckOptions;
	private fileStats: BigIntStats;
	/** Whether inode numbers can be compared; some file systems report another number at each call. */
	private readonly hasStableInode: boolean;
	private confirmedAt = Date.now();

	constructor(file: JournalFile, tail: JournalTail, options: JournalFileCheckOptions) {
		this.file = file;
		this.tail = tail;
		this.options = options;
		this.fileStats = readHandleStats(file);
		this.hasStableInode = this.fileStats.ino === readPathStats(file.path)?.ino;
	}

	/**
	 * Call this before a write at `size`, where the file should end.
	 *
	 * @throws Failure without writing anything: `StorageFailed` if the file was truncated and lost more bytes than are in memory,
	 * `SessionLocked` if another process has taken over the state folder
	 */
	async beforeWrite(size: number): Promise<void> {
		if (Math.abs(Date.now() - this.confirmedAt) > ownerCheckMs) await this.confirmOwner();
		if (readHandleStats(this.file).size !== BigInt(size)) await this.rewrite(size);
	}

	/** Call this after a write of [from, size). Throws like `beforeWrite`. */
	async afterWrite(from: number, size: number): Promise<void> {
		const stats = readPathStats(this.file.path);
		const { fileStats: own, hasStableInode } = this;
		const isSameFile =
			stats !== undefined && (!hasStableInode || (stats.ino === own.ino && stats.dev === own.dev));
		if (!isSameFile || isByteMissing(this.file, from - 1)) await this.rewrite(size);
	}

	private async confirmOwner(): Promise<void> {
		const { path, sessionId } = this.file;
		if (!(await this.options.isOwner())) {
			const reason = `another process has taken over the state folder: this one no longer writes ${path}`;
			throw new Failure('SessionLocked', reason, { path, sessionId });
		}
		this.confirmedAt = Date.now();
	}

	private async rewrite(size: number): Promise<void> {
		const { file, tail } = this;
		const { openFile, logger } = this.options;
		await this.confirmOwner();
		const { start } = tail;
		// The bytes before the tail in memory are only in the file, so they must be intact there.
		const isWhole =
			start === 0 ||
			((await readFormatLine(file.handle)).kind === 'journal' && !isByteMissing(file, start - 1));
		const { path } = file;
		if (!isWhole)
			throw new Failure('StorageFailed', `${path} was truncated or overwritten while it was open`, { path });
		const copy = await rewriteJournal(file, openFile, {
			head: Buffer.alloc(0),
			to: start,
			tail: tail.listPiecesBefore(size),
		});
		this.fileStats = readHandleStats(file);
		const note = copy === undefined ? '' : `; the file at its path was renamed to ${copy}`;
		logger.warn(`${path} was moved, deleted or changed while it was open: it was rewritten${note}`);
	}
}

function readHandleStats({ handle }: JournalFile): BigIntStats {
	return fstatSync(handle.fd, { bigint: true });
}

function readPathStats(path: string): BigIntStats | undefined {
	return lstatSync(path, { bigint: true, throwIfNoEntry: false });
}

const oneByte = Buffer.alloc(1);

/** Whether a byte of the journal is missing: it is beyond the end of the file, or zero, which no byte of a journal is. */
function isByteMissing({ handle }: JournalFile, offset: number): boolean {
	return readSync(handle.fd, oneByte, 0, 1, offset) === 0 || oneByte[0] === 0;
}
