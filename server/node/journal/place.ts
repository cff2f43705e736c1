/** Whether a journal that is being written is still the file that its name leads to, and whole. */

import { type BigIntStats, fstatSync, lstatSync, readSync } from 'node:fs';
import { Failure } from '../../core/failure.ts';
import type { Logger } from '../../session/ports.ts';
import type { OpenFile } from '../disk/durableFile.ts';
import type { JournalFile } from './bodies.ts';
import type { HeldBytes } from './heldBytes.ts';
import { readFormatLine } from './journalFile.ts';
import { rewriteJournal } from './rewrite.ts';

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

/**
 * Checks an open journal around each write. One that was moved, replaced, cut or deleted is rewritten from what this
 * process holds; `file.handle` changes then.
 */
export class JournalPlace {
	private readonly file: JournalFile;
	private readonly held: HeldBytes;
	private readonly options: PlaceOptions;
	private own: BigIntStats;
	/** False on file systems that give a file another number each time that it is asked for. */
	private readonly isNumbered: boolean;
	private confirmedAt = Date.now();

	constructor(file: JournalFile, held: HeldBytes, options: PlaceOptions) {
		this.file = file;
		this.held = held;
		this.options = options;
		this.own = statOf(file);
		this.isNumbered = this.own.ino === namedBy(file.path)?.ino;
	}

	/**
	 * Called before a write at `size`, which is where the file should end.
	 *
	 * @throws Failure `StorageFailed` if the file was cut, and more than what is held in memory is lost; `SessionLocked` if
	 * another process has taken over the state folder. Nothing was written then.
	 */
	async beforeWrite(size: number): Promise<void> {
		if (Math.abs(Date.now() - this.confirmedAt) > ownerCheckMs) await this.confirmOwner();
		if (statOf(this.file).size !== BigInt(size)) await this.rewrite(size);
	}

	/** Called after a write of [from, size). Throws as `beforeWrite`. */
	async afterWrite(from: number, size: number): Promise<void> {
		const named = namedBy(this.file.path);
		const { own, isNumbered } = this;
		const isHere = named !== undefined && (!isNumbered || (named.ino === own.ino && named.dev === own.dev));
		if (!isHere || isHole(this.file, from - 1)) await this.rewrite(size);
	}

	private async confirmOwner(): Promise<void> {
		const { path, sessionId } = this.file;
		if (!(await this.options.isOwner())) {
			const reason = `another process has taken over the state folder: ${path} is no longer written by this one`;
			throw new Failure('SessionLocked', reason, { path, sessionId });
		}
		this.confirmedAt = Date.now();
	}

	private async rewrite(size: number): Promise<void> {
		const { file, held } = this;
		const { openFile, logger } = this.options;
		await this.confirmOwner();
		const { start } = held;
		// The bytes before are not in memory, and must still be those of the journal.
		const isWhole =
			start === 0 || ((await readFormatLine(file.handle)).kind === 'journal' && !isHole(file, start - 1));
		const { path } = file;
		if (!isWhole)
			throw new Failure('StorageFailed', `${path} was cut or overwritten while it was open`, { path });
		const copy = await rewriteJournal(file, openFile, Buffer.alloc(0), start, held.until(size));
		this.own = statOf(file);
		const kept = copy === undefined ? '' : `; what had its name is kept as ${copy}`;
		logger.warn(`${path} was moved, deleted or changed while it was open: it was rewritten${kept}`);
	}
}

function statOf({ handle }: JournalFile): BigIntStats {
	return fstatSync(handle.fd, { bigint: true });
}

function namedBy(path: string): BigIntStats | undefined {
	return lstatSync(path, { bigint: true, throwIfNoEntry: false });
}

const oneByte = Buffer.alloc(1);

/** Whether a byte is missing: it is zero, which no byte of a journal is, or lies behind the end of the file. */
function isHole({ handle }: JournalFile, offset: number): boolean {
	return readSync(handle.fd, oneByte, 0, 1, offset) === 0 || oneByte[0] === 0;
}
