/** Reads the header lines of a journal and skips the bodies. */

import type { BodyRef } from '../../session/ports.ts';
import { type JournalFile, readRange } from './bodies.ts';
import { maxHeaderBytes, parseHeader, startsLikeHeader } from './format.ts';

/** A record, and its position in the file. */
export interface ScannedRecord {
	value: unknown;
	bodies: BodyRef[];
	/** Where the record begins, in bytes from the start of the journal. */
	offset: number;
	/** Where the record with its bodies ends, in bytes. */
	end: number;
	/** Whether all earlier records were on disk before this record was written. */
	synced: boolean;
}

/** Where and why a scan ended. */
export interface ScanEnd {
	/** End of the intact part, in bytes from the start of the journal. */
	offset: number;
	/** `incomplete` if the file ends within a record, which may still be being written. */
	reason: 'end' | 'incomplete' | 'damaged';
}

const newline = 0x0a;
/** Bytes of a read after large bodies were skipped, and of a read that continues the previous one. */
const bytesPerRead = { afterSkip: 64 * 1024, sequential: 1024 * 1024 };

/**
 * Passes the records of [start, size) to `visit`, in order, and awaits each call.
 *
 * Reads several small records at once and skips large bodies, so that the cost depends on the number of records and not on
 * their bytes.
 *
 * @throws Failure `StorageFailed` if the file cannot be read
 */
export async function scanRecords(
	file: JournalFile,
	start: number,
	size: number,
	visit: (record: ScannedRecord) => void | Promise<void>,
): Promise<ScanEnd> {
	let window: Buffer = Buffer.alloc(0);
	let windowStart = start;
	let offset = start;
	while (offset < size) {
		const index = offset - windowStart;
		const available = window.length - index;
		const lineEnd = available > 0 ? window.indexOf(newline, index) : -1;
		if (lineEnd !== -1) {
			const record = parseRecord(window, index, lineEnd, offset);
			if (record === undefined) return { offset, reason: 'damaged' };
			if (record.end > size) return { offset, reason: 'incomplete' };
			await visit(record);
			offset = record.end;
			continue;
		}
		if (available > 0 && !startsLikeHeader(window, index)) return { offset, reason: 'damaged' };
		if (available > maxHeaderBytes) return { offset, reason: 'damaged' };
		if (available > 0 && windowStart + window.length >= size) return { offset, reason: 'incomplete' };
		const length = available < 0 ? bytesPerRead.afterSkip : Math.max(bytesPerRead.sequential, available * 2);
		window = await readRange(file, offset, Math.min(length, size - offset));
		windowStart = offset;
		if (window.length <= Math.max(available, 0)) return { offset, reason: 'incomplete' };
	}
	return { offset, reason: 'end' };
}

function parseRecord(
	window: Buffer,
	index: number,
	lineEnd: number,
	offset: number,
): ScannedRecord | undefined {
	const header = parseHeader(window, index, lineEnd);
	if (header === undefined) return undefined;
	let end = offset + (lineEnd - index) + 1;
	const bodies: BodyRef[] = [];
	for (const [length, crc] of header.bodies) {
		bodies.push({ offset: end, length, crc });
		end += length + 1;
	}
	return { value: header.value, bodies, offset, end, synced: header.synced };
}
