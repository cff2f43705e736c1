/** Finds the next record behind a place where a journal is damaged. */

import type { JournalFile } from './bodies.ts';
import { maximumHeaderBytes, parseHeader } from './format.ts';
import { readInto } from './scanner.ts';

const newline = 0x0a;
// Without the line end before it: that may be what was lost.
const headerStart = Buffer.from('{"crc":');
const chunkBytes = 1024 * 1024;
/** Bytes. */
const longestLine = maximumHeaderBytes;

/**
 * Where the next sound header line of [from, size) begins, in bytes from the start of the journal: `none` where none
 * does, `unknown` where so much looks like one that it cannot be found in linear time. No body holds one: what a body
 * quotes is followed by the rest of that body on the same line.
 *
 * @throws Failure `StorageFailed` when the file cannot be read.
 */
export async function nextHeader(
	file: JournalFile,
	from: number,
	size: number,
): Promise<number | 'none' | 'unknown'> {
	if (from >= size) return 'none';
	const buffer = Buffer.allocUnsafe(Math.min(chunkBytes, size - from));
	let start = from;
	let allowance = 8 * (size - from) + 16 * chunkBytes;
	while (start < size) {
		const bytes = await read(file, buffer, Math.min(buffer.length, size - start), start);
		for (
			let index = bytes.indexOf(headerStart);
			index !== -1;
			index = bytes.indexOf(headerStart, index + 1)
		) {
			const line = await lineAt(file, bytes, index, start);
			if (parseHeader(line, 0, line.length) !== undefined) return start + index;
			allowance -= line.length;
			if (allowance < 0) return 'unknown';
		}
		if (bytes.length <= headerStart.length) return 'none';
		// The last bytes are read again, for the start of a header may lie across two chunks.
		start += bytes.length - headerStart.length;
	}
	return 'none';
}

/** The line at `index` of the bytes read from `start` on, without its end, and cut where it is over-long. */
async function lineAt(file: JournalFile, bytes: Buffer, index: number, start: number): Promise<Buffer> {
	const end = bytes.indexOf(newline, index);
	if (end !== -1) return bytes.subarray(index, end);
	for (let length = chunkBytes; ; length *= 4) {
		const line = await read(file, Buffer.allocUnsafe(length), length, start + index);
		const lineEnd = line.indexOf(newline);
		if (lineEnd !== -1) return line.subarray(0, lineEnd);
		if (line.length < length || length >= longestLine) return line;
	}
}

async function read(file: JournalFile, buffer: Buffer, length: number, offset: number): Promise<Buffer> {
	return buffer.subarray(0, await readInto(file, buffer, length, offset));
}
