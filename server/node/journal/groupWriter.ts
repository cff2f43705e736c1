/**
 * Appends records to a journal in groups. Records that arrive while a group is being written form the next group, which needs one
 * write and one sync.
 */

import type { FileHandle } from 'node:fs/promises';
import { errorCode, Failure } from '../../core/failure.ts';
import type { BodyRef, Logger } from '../../session/ports.ts';
import { createStorageFailure } from '../disk/durableFile.ts';
import type { JournalFile } from './bodies.ts';
import { encodeRecord } from './format.ts';
import type { JournalFileCheck } from './journalFileCheck.ts';
import type { JournalTail } from './journalTail.ts';

/** A group of at least this many bytes is full, which limits memory and waiting. */
const maxGroupBytes = 8 * 1024 * 1024;

/** Records that are written to disk together. */
class Group {
	/** Where the group begins in the journal, in bytes. */
	readonly from: number;
	readonly pieces: Buffer[] = [];
	resolve: () => void = () => undefined;
	reject: (failure: Failure) => void = () => undefined;
	readonly durable = new Promise<void>((resolve, reject) => {
		this.resolve = resolve;
		this.reject = reject;
	});

	constructor(from: number) {
		this.from = from;
		// Prevents an unhandled rejection: a caller may ignore the promise, and the next append throws the failure.
		this.durable.catch(() => undefined);
	}
}

export class GroupWriter {
	private readonly file: JournalFile;
	private readonly tail: JournalTail;
	private readonly fileCheck: JournalFileCheck;
	private readonly logger: Logger;
	private durableSize: number;
	private writingGroup: Group | undefined;
	/** Groups that wait to be written, oldest first. */
	private waitingGroups: Group[] = [];
	private stopFailure: Failure | undefined;
	private running: Promise<void> | undefined;

	/** @param tail the newest bytes of the journal; writing begins at their end */
	constructor(file: JournalFile, tail: JournalTail, fileCheck: JournalFileCheck, logger: Logger) {
		this.file = file;
		this.tail = tail;
		this.fileCheck = fileCheck;
		this.logger = logger;
		this.durableSize = tail.end;
	}

	/** Appends a record, as described at `Journal.append`. */
	append(value: unknown, bodies: readonly string[]): { bodies: BodyRef[]; durable: Promise<void> } {
		if (this.stopFailure !== undefined) throw this.stopFailure;
		const { tail } = this;
		const last = this.waitingGroups.at(-1);
		const open = last && tail.end - last.from < maxGroupBytes ? last : undefined;
		const { pieces, refs } = encodeRecord(
			value,
			bodies,
			tail.end,
			open ? 'within its group' : 'first of its group',
		);
		const group = open ?? new Group(tail.end);
		if (group !== open) this.waitingGroups.push(group);
		for (const piece of pieces) group.pieces.push(piece);
		tail.append(pieces);
		this.running ??= this.run();
		return { bodies: refs, durable: group.durable };
	}

	/** Stops accepting records. Resolves when all accepted records are on disk or have failed. */
	async finish(): Promise<void> {
		const { path } = this.file;
		this.stopFailure ??= new Failure('StorageFailed', `${path} is closed`, { path });
		await this.running;
	}

	private async run(): Promise<void> {
		while (this.waitingGroups.length > 0) {
			// Records that are appended in this turn of the event loop join the group.
			await new Promise(setImmediate);
			this.writingGroup = this.waitingGroups.shift();
			if (this.writingGroup) await this.write(this.writingGroup);
			this.writingGroup = undefined;
		}
		this.running = undefined;
	}

	private async write(group: Group): Promise<void> {
		const { file, tail, fileCheck } = this;
		const to = this.waitingGroups[0]?.from ?? tail.end;
		let isBegun = false;
		try {
			await fileCheck.beforeWrite(group.from);
			isBegun = true;
			await writePieces(file.handle, group);
			await file.handle.datasync();
			await fileCheck.afterWrite(group.from, to);
			this.durableSize = to;
			tail.trim(to);
			group.resolve();
		} catch (error) {
			await this.stop(createStorageFailure('write', file.path, error), isBegun);
		}
	}

	/** Fails all records that are not on disk, and removes them: they must not be read now or after the journal is reopened. */
	private async stop(failure: Failure, isBegun: boolean): Promise<void> {
		const { file, logger, durableSize } = this;
		this.stopFailure = failure;
		this.tail.truncate(durableSize);
		logger.error(`${failure.message}; the session accepts nothing more until it is reopened`);
		try {
			if (isBegun && (await file.handle.stat()).size > durableSize) await file.handle.truncate(durableSize);
		} catch (error) {
			logger.warn(`cannot cut off an incomplete write to ${file.path} (${errorCode(error)})`);
		}
		for (const group of [this.writingGroup, ...this.waitingGroups]) group?.reject(failure);
		this.waitingGroups = [];
	}
}

/** Writes a group in one write, unless the group is so large that copying its pieces would cost too much. */
async function writePieces(handle: FileHandle, { pieces, from }: Group): Promise<void> {
	const length = pieces.reduce((sum, piece) => sum + piece.length, 0);
	let offset = from;
	for (const bytes of length < 2 * maxGroupBytes ? [Buffer.concat(pieces, length)] : pieces) {
		for (let written = 0; written < bytes.length; ) {
			const { bytesWritten } = await handle.write(bytes, written, bytes.length - written, offset + written);
			written += bytesWritten;
		}
		offset += bytes.length;
	}
}
