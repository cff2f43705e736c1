/** Records that go to the disk together. */

import type { FileHandle } from 'node:fs/promises';
import type { Failure } from '../../core/failure.ts';
import type { BodyRef } from '../../session/ports.ts';
import type { EncodedRecord } from './format.ts';

/** Records in the order of their offsets, and who waits for them. */
export interface Group {
	/** Where it begins in the journal, in bytes. */
	offset: number;
	/** Bytes of all its records. */
	length: number;
	records: EncodedRecord[];
	durable: Promise<void>;
	resolve: () => void;
	reject: (failure: Failure) => void;
}

/** Bytes after which a group is closed; also what is brought together into one write. */
const largestGroup = 8 * 1024 * 1024;

/** Whether what comes next goes into another group, so that neither memory nor the wait grows without bound. */
export function isFull(group: Group): boolean {
	return group.length >= largestGroup;
}

/** An empty group. */
export function newGroup(offset: number): Group {
	let resolve: Group['resolve'] = () => undefined;
	let reject: Group['reject'] = () => undefined;
	const durable = new Promise<void>((onDurable, onFailure) => {
		resolve = onDurable;
		reject = onFailure;
	});
	// Who does not wait for its group hears of the failure in the log and at the next append.
	durable.catch(() => undefined);
	return { offset, length: 0, records: [], durable, resolve, reject };
}

/** The bytes of a body that lies in a group. */
export function bufferedIn(group: Group, ref: BodyRef): Buffer | undefined {
	const { records } = group;
	let low = 0;
	let high = records.length;
	while (high - low > 1) {
		const middle = (low + high) >>> 1;
		if (records[middle]!.bodiesOffset <= ref.offset) low = middle;
		else high = middle;
	}
	const record = records[low];
	const index = record === undefined ? -1 : ref.offset - record.bodiesOffset;
	if (record === undefined || index < 0 || index + ref.length >= record.bodies.length) return undefined;
	return record.bodies.subarray(index, index + ref.length);
}

/** Writes a group to its place, in one write unless it is large. */
export async function writeGroup(handle: FileHandle, group: Group): Promise<void> {
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
			if (length > 0 && length + piece.length > largestGroup) await flush();
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
