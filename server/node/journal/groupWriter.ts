/**
 * Appends records in groups: what is appended while a group is on its way to the disk goes with the next one, in one
 * write and one sync.
 */

import type { FileHandle } from 'node:fs/promises';
import { errorCode, Failure } from '../../core/failure.ts';
import type { BodyRef, Logger } from '../../session/ports.ts';
import type { JournalFile } from './bodies.ts';
import { storageFailure } from './failure.ts';
import { encodeRecord } from './format.ts';
import type { HeldBytes } from './heldBytes.ts';
import type { JournalPlace } from './place.ts';

/** Bytes after which a group is closed, so that neither memory nor the wait grows without bound; also of one write. */
const maxGroupBytes = 8 * 1024 * 1024;

/** Records that go to the disk together. */
interface Group {
	/** Where it begins and ends in the journal, in bytes. */
	from: number;
	to: number;
	durable: Promise<void>;
	resolve: () => void;
	reject: (failure: Failure) => void;
}

function newGroup(from: number): Group {
	let resolve: Group['resolve'] = () => undefined;
	let reject: Group['reject'] = () => undefined;
	const durable = new Promise<void>((onDurable, onFailure) => {
		resolve = onDurable;
		reject = onFailure;
	});
	// A caller that does not wait learns of the failure from the log and at the next append.
	durable.catch(() => undefined);
	return { from, to: from, durable, resolve, reject };
}

/** The writing end of a journal. */
export class GroupWriter {
	private readonly file: JournalFile;
	private readonly held: HeldBytes;
	private readonly place: JournalPlace;
	private readonly logger: Logger;
	private durableSize: number;
	/** Groups that are not on disk, oldest first. */
	private groups: Group[] = [];
	/** The first group is being written, and takes nothing more. */
	private isWriting = false;
	private stopped: Failure | undefined;
	private running: Promise<void> | undefined;

	/** @param held what the journal holds up to its end, where writing begins */
	constructor(file: JournalFile, held: HeldBytes, place: JournalPlace, logger: Logger) {
		this.file = file;
		this.held = held;
		this.place = place;
		this.logger = logger;
		this.durableSize = held.end;
	}

	/** As `Journal.append`. */
	append(value: unknown, bodies: readonly string[]): { bodies: BodyRef[]; durable: Promise<void> } {
		if (this.stopped !== undefined) throw this.stopped;
		const { held } = this;
		const open = this.openGroup();
		const record = encodeRecord(value, bodies, held.end, open ? 'within its group' : 'first of its group');
		const group = open ?? newGroup(held.end);
		if (group !== open) this.groups.push(group);
		held.append(record.header);
		held.append(record.bodies);
		group.to = held.end;
		this.running ??= this.run();
		return { bodies: record.refs, durable: group.durable };
	}

	/** Takes nothing more; resolves when all that was taken is on disk or has failed. */
	async finish(): Promise<void> {
		const { path } = this.file;
		this.stopped ??= new Failure('StorageFailed', `${path} is closed`, { path });
		await this.running;
	}

	private openGroup(): Group | undefined {
		const last = this.groups.at(-1);
		if (last === undefined || last.to - last.from >= maxGroupBytes) return undefined;
		return this.isWriting && this.groups.length === 1 ? undefined : last;
	}

	private async run(): Promise<void> {
		while (this.groups[0] !== undefined) {
			// What else this turn of the event loop appends goes with the same group.
			await new Promise(setImmediate);
			this.isWriting = true;
			await this.write(this.groups[0]);
			this.isWriting = false;
		}
		this.running = undefined;
	}

	private async write(group: Group): Promise<void> {
		const { file, held, place } = this;
		let isBegun = false;
		try {
			await place.beforeWrite(group.from);
			isBegun = true;
			await writePieces(file.handle, held.slice(group.from, group.to), group.from);
			await file.handle.datasync();
			await place.afterWrite(group.from, group.to);
			this.durableSize = group.to;
			held.trim(group.to);
			this.groups.shift();
			group.resolve();
		} catch (error) {
			const failure = storageFailure('write', file.path, error);
			this.refuse(failure);
			// What was answered as failed must neither be read nor return when the journal is opened again.
			if (isBegun) await this.cutUnfinished();
			this.fail(failure);
		}
	}

	private refuse(failure: Failure): void {
		this.stopped = failure;
		this.held.cutAt(this.durableSize);
		this.logger.error(`${failure.message}; the session takes nothing more until it is opened again`);
	}

	private fail(failure: Failure): void {
		for (const group of this.groups) group.reject(failure);
		this.groups = [];
	}

	private async cutUnfinished(): Promise<void> {
		const { handle, path } = this.file;
		try {
			if ((await handle.stat()).size > this.durableSize) await handle.truncate(this.durableSize);
		} catch (error) {
			this.logger.warn(
				`cannot cut off what was half written to ${path} (${errorCode(error)}): it is cut when it is opened again`,
			);
		}
	}
}

/** Writes pieces one behind the other, in one write unless they are large. */
async function writePieces(handle: FileHandle, pieces: readonly Buffer[], from: number): Promise<void> {
	let offset = from;
	for (let first = 0; first < pieces.length; ) {
		let length = 0;
		let next = first;
		for (; next < pieces.length; next++) {
			if (next > first && length + pieces[next]!.length > maxGroupBytes) break;
			length += pieces[next]!.length;
		}
		const bytes = next - first === 1 ? pieces[first]! : Buffer.concat(pieces.slice(first, next), length);
		await writeFully(handle, bytes, offset);
		offset += length;
		first = next;
	}
}

async function writeFully(handle: FileHandle, bytes: Buffer, offset: number): Promise<void> {
	let written = 0;
	while (written < bytes.length) {
		const { bytesWritten } = await handle.write(bytes, written, bytes.length - written, offset + written);
		written += bytesWritten;
	}
}
