/**
 * Appends records in groups: what is asked for while a group is on its way to the disk goes with the next one,
 * in one write and one sync.
 */

import type { FileHandle } from 'node:fs/promises';
import { Failure } from '../../core/failure.ts';
import type { BodyRef, Logger } from '../../session/ports.ts';
import { errorCode, storageFailure } from './failure.ts';
import { type EncodedRecord, encodeRecord } from './format.ts';

/** The writing end of a journal. */
export interface GroupWriter {
	append(value: unknown, bodies: readonly string[]): { bodies: BodyRef[]; durable: Promise<void> };
	/** The bytes of a body that is not on disk yet. */
	buffered(ref: BodyRef): Buffer | undefined;
	/** Bytes written and buffered. */
	size(): number;
	/** Takes nothing more, and fails what is not on disk; the file stays as it is. */
	stop(failure: Failure): void;
	/** Takes nothing more; resolves when all that was taken is on disk or has failed. */
	finish(): Promise<void>;
}

interface Group {
	offset: number;
	records: EncodedRecord[];
	durable: Promise<void>;
	resolve: () => void;
	reject: (failure: Failure) => void;
}

/** Bytes that are brought together into one write. */
const largestJoin = 8 * 1024 * 1024;

/** Starts to write behind the first `start` bytes of a journal. */
export function groupWriter(
	file: { handle: FileHandle; path: string; logger: Logger },
	start: number,
): GroupWriter {
	const { handle, path, logger } = file;
	let size = start;
	let durableSize = start;
	let waiting: Group | undefined;
	let writing: Group | undefined;
	let stopped: Failure | undefined;
	let running: Promise<void> | undefined;

	async function run(): Promise<void> {
		// What else this turn of the event loop appends goes with the first group.
		await new Promise(setImmediate);
		while (waiting !== undefined) {
			const group = waiting;
			writing = group;
			waiting = undefined;
			try {
				await writeRecords(handle, group);
				await handle.datasync();
				durableSize = group.offset + group.records.reduce((sum, record) => sum + record.length, 0);
				group.resolve();
			} catch (error) {
				stop(storageFailure('write', path, error));
				await cutUnfinished();
			}
			writing = undefined;
		}
		running = undefined;
	}

	function stop(failure: Failure): void {
		stopped = failure;
		const lost = [writing, waiting];
		waiting = undefined;
		size = durableSize;
		logger.error(`${failure.message}; the session takes nothing more until it is opened again`);
		for (const group of lost) group?.reject(failure);
	}

	async function cutUnfinished(): Promise<void> {
		try {
			// What was answered as failed must not come back at the next open.
			await handle.truncate(durableSize);
		} catch (error) {
			logger.warn(
				`cannot cut off what was half written to ${path} (${errorCode(error)}): the next open will`,
			);
		}
	}

	return {
		append(value, bodies) {
			if (stopped !== undefined) throw stopped;
			const place = waiting === undefined ? 'first of its group' : 'within its group';
			const record = encodeRecord(value, bodies, size, place);
			waiting ??= newGroup(size);
			waiting.records.push(record);
			size += record.length;
			running ??= run();
			return { bodies: record.refs, durable: waiting.durable };
		},
		buffered(ref) {
			for (const group of [writing, waiting]) {
				const bytes = group && ref.offset >= group.offset ? bytesOf(group.records, ref) : undefined;
				if (bytes !== undefined) return bytes;
			}
			return undefined;
		},
		size: () => size,
		stop(failure) {
			if (stopped === undefined) stop(failure);
		},
		async finish() {
			stopped ??= new Failure('StorageFailed', `${path} is closed`, { path });
			await running;
		},
	};
}

function newGroup(offset: number): Group {
	let resolve: Group['resolve'] = () => undefined;
	let reject: Group['reject'] = () => undefined;
	const durable = new Promise<void>((onDurable, onFailure) => {
		resolve = onDurable;
		reject = onFailure;
	});
	// Who does not wait for its group hears of the failure in the log and at the next append.
	durable.catch(() => undefined);
	return { offset, records: [], durable, resolve, reject };
}

/** The body among records in the order of their offsets. */
function bytesOf(records: readonly EncodedRecord[], ref: BodyRef): Buffer | undefined {
	let low = 0;
	let high = records.length;
	while (high - low > 1) {
		const middle = (low + high) >>> 1;
		if (records[middle]!.bodiesOffset <= ref.offset) low = middle;
		else high = middle;
	}
	const record = records[low];
	const at = record === undefined ? -1 : ref.offset - record.bodiesOffset;
	if (record === undefined || at < 0 || at + ref.length >= record.bodies.length) return undefined;
	return record.bodies.subarray(at, at + ref.length);
}

async function writeRecords(handle: FileHandle, group: Group): Promise<void> {
	let offset = group.offset;
	let pieces: Buffer[] = [];
	let length = 0;
	const flush = async (): Promise<void> => {
		await writeFully(handle, pieces.length === 1 ? pieces[0]! : Buffer.concat(pieces, length), offset);
		offset += length;
		pieces = [];
		length = 0;
	};
	for (const record of group.records) {
		for (const piece of [record.header, record.bodies]) {
			if (length > 0 && length + piece.length > largestJoin) await flush();
			pieces.push(piece);
			length += piece.length;
		}
	}
	await flush();
}

async function writeFully(handle: FileHandle, bytes: Buffer, offset: number): Promise<void> {
	let written = 0;
	while (written < bytes.length) {
		const { bytesWritten } = await handle.write(bytes, written, bytes.length - written, offset + written);
		written += bytesWritten;
	}
}
