/** Reads bodies from a journal, in a few large reads. */

import type { FileHandle } from 'node:fs/promises';
import { crc32 } from 'node:zlib';
import { ifExists } from '../../core/failure.ts';
import type { BodyRef } from '../../session/ports.ts';
import { accessDisk } from '../disk/durableFile.ts';
import { readBytes } from '../disk/readBytes.ts';

/** A range of bytes in a file. */
interface Range {
	offset: number;
	length: number;
}

/** Two bodies with a gap of at most this many bytes are read together, because a second read would cost more. */
const maxGapBytes = 32 * 1024;
/** Maximum bytes of a read, unless a single body is larger. */
const maxReadBytes = 4 * 1024 * 1024;

/** The open file of a journal. */
export interface JournalFile {
	handle: FileHandle;
	path: string;
	sessionId: string;
}

/** Reads the texts of bodies, in the order of `refs`; undefined for a body whose bytes are damaged. */
export async function readBodies(
	file: JournalFile,
	refs: readonly BodyRef[],
): Promise<(string | undefined)[]> {
	const texts = new Array<string | undefined>(refs.length).fill(undefined);
	await readRanges(file, refs, (index, bytes) => {
		const { length, crc } = refs[index]!;
		if (bytes.length === length && crc32(bytes) === crc) texts[index] = bytes.toString('utf8');
	});
	return texts;
}

/**
 * Returns the index of the first body that was only partly written to disk; -1 if there is none.
 *
 * File systems return zeros for bytes that were never written, and no body contains zeros.
 */
export async function findTornBody(file: JournalFile, refs: readonly BodyRef[]): Promise<number> {
	let first = -1;
	const withLineEnds = refs.map(({ offset, length }) => ({ offset, length: length + 1 }));
	await readRanges(file, withLineEnds, (index, bytes) => {
		const isTorn = bytes.length > 0 && bytes.includes(0);
		if (isTorn && (first === -1 || index < first)) first = index;
	});
	return first;
}

/** Passes the bytes of each range to `onRange`, in any order; fewer bytes if the file ends before the range. */
async function readRanges(
	file: JournalFile,
	ranges: readonly Range[],
	onRange: (index: number, bytes: Buffer) => void,
): Promise<void> {
	const order = [...ranges.keys()].sort((a, b) => ranges[a]!.offset - ranges[b]!.offset);
	let first = 0;
	while (first < order.length) {
		const start = ranges[order[first]!]!.offset;
		let end = start;
		let next = first;
		for (; next < order.length; next++) {
			const range = ranges[order[next]!]!;
			const newEnd = Math.max(end, range.offset + range.length);
			if (next > first && (range.offset - end > maxGapBytes || newEnd - start > maxReadBytes)) break;
			end = newEnd;
		}
		const indexes = order.slice(first, next);
		first = next;
		const bytes = await readIfReadable(file, start, end - start);
		for (const index of indexes) {
			const { offset, length } = ranges[index]!;
			const from = offset - start;
			// If the disk cannot read some of the bytes, each range is read alone, so that only the damaged ones are lost.
			const slice = bytes ? bytes.subarray(from, from + length) : await readIfReadable(file, offset, length);
			onRange(index, slice ?? Buffer.alloc(0));
		}
	}
}

/** Reads bytes of a file; fewer if the file ends earlier. Rejects with `StorageFailed`. */
export function readRange(file: JournalFile, offset: number, length: number): Promise<Buffer> {
	return accessDisk('read', file.path, () => readBytes(file.handle, offset, offset + length));
}

/** Reads bytes of a file; fewer if the file ends earlier, undefined if the disk cannot read them. */
function readIfReadable(file: JournalFile, offset: number, length: number): Promise<Buffer | undefined> {
	return accessDisk('read', file.path, () =>
		ifExists(readBytes(file.handle, offset, offset + length), ['EIO']),
	);
}
