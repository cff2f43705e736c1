/** Walks over the header lines of a journal, past the bodies. */

import type { BodyRef } from '../../session/ports.ts';
import type { JournalFile } from './bodies.ts';
import { onStorage } from './failure.ts';
import { maximumHeaderBytes, parseHeader, startsLikeHeader } from './format.ts';

/** A record, and where it stands in the file. */
export interface ScannedRecord {
	value: unknown;
	bodies: BodyRef[];
	/** Bytes from the start of the journal. */
	offset: number;
	/** Where its header line ends, and its bodies begin. */
	headerEnd: number;
	/** All that stands before this record was on disk when it was written. */
	synced: boolean;
}

/** Where a walk ended. */
export interface ScanEnd {
	/** Bytes from the start: what stands before is sound. */
	offset: number;
	/** `incomplete`: the file ends within a record, as it does while one is being written. */
	reason: 'end' | 'incomplete' | 'damaged';
}

const newline = 0x0a;
/** Bytes read after a leap over large bodies; doubled while the reading goes straight on. */
const firstRead = 64 * 1024;
const largestRead = 1024 * 1024;

/**
 * Hands over the records of [start, size) in order. Reads ahead while records are small and leaps over large
 * bodies, so that its cost goes with the records and not with the bytes. What `each` gives is waited for.
 *
 * @throws Failure `StorageFailed` when the file cannot be read.
 */
export async function scanRecords(
	file: JournalFile,
	start: number,
	size: number,
	each: (record: ScannedRecord) => void | Promise<void>,
): Promise<ScanEnd> {
	let buffer = Buffer.allocUnsafe(firstRead);
	let window = buffer.subarray(0, 0);
	let windowStart = start;
	let nextRead = firstRead;
	let offset = start;
	while (offset < size) {
		const index = offset - windowStart;
		const known = window.length - index;
		const lineEnd = known > 0 ? window.indexOf(newline, index) : -1;
		if (lineEnd !== -1) {
			const record = recordAt(window, index, lineEnd, offset);
			if (record === undefined) return { offset, reason: 'damaged' };
			const end = recordEnd(record);
			if (end > size) return { offset, reason: 'incomplete' };
			await each(record);
			offset = end;
			continue;
		}
		if (known > 0 && !startsLikeHeader(window, index)) return { offset, reason: 'damaged' };
		if (known > maximumHeaderBytes) return { offset, reason: 'damaged' };
		if (known > 0 && windowStart + window.length >= size) return { offset, reason: 'incomplete' };
		nextRead = known < 0 ? firstRead : Math.max(Math.min(nextRead * 2, largestRead), known * 2);
		if (nextRead > buffer.length) buffer = Buffer.allocUnsafe(nextRead);
		const wanted = Math.min(nextRead, size - offset);
		const bytesRead = await readInto(file, buffer, wanted, offset);
		if (bytesRead <= Math.max(known, 0)) return { offset, reason: 'incomplete' };
		window = buffer.subarray(0, bytesRead);
		windowStart = offset;
	}
	return { offset, reason: 'end' };
}

function recordAt(window: Buffer, index: number, lineEnd: number, offset: number): ScannedRecord | undefined {
	const header = parseHeader(window, index, lineEnd);
	if (header === undefined) return undefined;
	const headerEnd = offset + (lineEnd - index) + 1;
	let bodyOffset = headerEnd;
	const bodies: BodyRef[] = [];
	for (const [length, crc] of header.bodies) {
		bodies.push({ offset: bodyOffset, length, crc });
		bodyOffset += length + 1;
	}
	return { value: header.value, bodies, offset, headerEnd, synced: header.synced };
}

/** Where a record with its bodies ends, in bytes from the start of the journal. */
export function recordEnd({ bodies, headerEnd }: ScannedRecord): number {
	const last = bodies.at(-1);
	return last === undefined ? headerEnd : last.offset + last.length + 1;
}

/** Reads so many bytes from there into a buffer; gives how many there were. Rejects with `StorageFailed`. */
export async function readInto(
	file: JournalFile,
	buffer: Buffer,
	length: number,
	offset: number,
): Promise<number> {
	const { bytesRead } = await onStorage('read', file.path, () => file.handle.read(buffer, 0, length, offset));
	return bytesRead;
}
