/** Checks whether a journal that is being written is still complete and at its path. */

import { type BigIntStats, fstatSync, lstatSync, readSync } from 'node:fs';
import { Failure } from '../../core/failure.ts';
import type { Logger } from '../../session/ports.ts';
import type { OpenFile } from '../disk/durableFile.ts';
import type { JournalFile } from './bodies.ts';
import { readFormatLine } from './journalFile.ts';
import type { JournalTail } from './journalTail.ts';
import { rewriteJournal } from './rewrite.ts';

/** What the check needs to know. */
export interface JournalFileCheckOptions {
	openFile: OpenFile;
	logger: Logger;
	/** Whether this process still owns the state folder. */
	isOwner(): Promise<boolean>;
}

/**
 * Milliseconds between writes after which the owner of the folder is checked.
 *
 * Another process takes over a folder only after this one was silent for much longer.
 */
const ownerCheckMs = 2000;

// Synchronous calls: the system answers them from memory, in a tenth of the time that a thread switch takes.

/**
 * Checks an open journal around each write.
 *
 * A file that was moved, replaced, truncated or deleted is rewritten from what this process has; `file.handle` changes
 * then.
 */
export class JournalFileCheck {
	private readonly file: JournalFile;
	private readonly held: JournalTail;
	private readonly options: JournalFileCheckOptions;
	private own: BigIntStats;
	/** False on file systems that report a different file number at each call. */
	private readonly isNumbered: boolean;
	private confirmedAt = Date.now();

	constructor(file: JournalFile, held: JournalTail, options: JournalFileCheckOptions) {
		this.file = file;
		this.held = held;
		this.options = options;
		this.own = statOf(file);
		this.isNumbered = this.own.ino === namedBy(file.path)?.ino;
	}

	/**
	 * Call before a write at `size`, which is where the file should end.
	 *
	 * @throws Failure `StorageFailed` if the file was truncated and more is lost than memory holds; `SessionLocked` if another
	 * process has taken over the state folder. Nothing was written then.
	 */
	async beforeWrite(size: number): Promise<void> {
		if (Math.abs(Date.now() - this.confirmedAt) > ownerCheckMs) await this.confirmOwner();
		if (statOf(this.file).size !== BigInt(size)) await this.rewrite(size);
	}

	/** Call after a write of [from, size). Throws like `beforeWrite`. */
	async afterWrite(from: number, size: number): Promise<void> {
		const named = namedBy(this.file.path);
		const { own, isNumbered } = this;
		const isHere = named !== undefined && (!isNumbered || (named.ino === own.ino && named.dev === own.dev));
		if (!isHere || isHole(this.file, from - 1)) await this.rewrite(size);
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
		const { file, held } = this;
		const { openFile, logger } = this.options;
		await this.confirmOwner();
		const { start } = held;
		// Earlier bytes are not in memory, and must still be those of the journal.
		const isWhole =
			start === 0 || ((await readFormatLine(file.handle)).kind === 'journal' && !isHole(file, start - 1));
		const { path } = file;
		if (!isWhole)
			throw new Failure('StorageFailed', `${path} was truncated or overwritten while it was open`, { path });
		const tail = held.until(size);
		const copy = await rewriteJournal(file, openFile, { head: Buffer.alloc(0), to: start, tail });
		this.own = statOf(file);
		const note = copy === undefined ? '' : `; the file at its path was renamed to ${copy}`;
		logger.warn(`${path} was moved, deleted or changed while it was open: it was rewritten${note}`);
	}
}

function statOf({ handle }: JournalFile): BigIntStats {
	return fstatSync(handle.fd, { bigint: true });
}

function namedBy(path: string): BigIntStats | undefined {
	return lstatSync(path, { bigint: true, throwIfNoEntry: false });
}

const oneByte = Buffer.alloc(1);

/** Whether a byte is missing: it is zero, which no byte of a journal is, or beyond the end of the file. */
function isHole({ handle }: JournalFile, offset: number): boolean {
	return readSync(handle.fd, oneByte, 0, 1, offset) === 0 || oneByte[0] === 0;
}
