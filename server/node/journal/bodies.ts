/** Reads bodies back from a journal in few, large reads. */

import type { FileHandle } from 'node:fs/promises';
import { crc32 } from 'node:zlib';
import { ifThere } from '../../core/failure.ts';
import type { BodyRef } from '../../session/ports.ts';
import { onStorage } from './failure.ts';

/** A stretch of a file. */
interface Range {
	offset: number;
	length: number;
}

/** Bytes between two bodies that are cheaper read than skipped. */
const largestGap = 32 * 1024;
/** Bytes of one read, unless a single body is larger. */
const largestRead = 4 * 1024 * 1024;

/** A journal's file as its readers know it. */
export interface JournalFile {
	handle: FileHandle;
	path: string;
	sessionId: string;
}

/** The texts of bodies, in the order asked for; undefined for each that is not what was written. */
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

/** The index of the first body that is not what was written or has no line end; -1 when all are sound. */
export async function firstDamagedBody(file: JournalFile, refs: readonly BodyRef[]): Promise<number> {
	let first = refs.length;
	const withLineEnds = refs.map((ref) => ({ offset: ref.offset, length: ref.length + 1 }));
	await readRanges(file, withLineEnds, (index, bytes) => {
		const { length, crc } = refs[index]!;
		const sound =
			bytes.length === length + 1 && bytes[length] === 0x0a && crc32(bytes.subarray(0, length)) === crc;
		if (!sound) first = Math.min(first, index);
	});
	return first === refs.length ? -1 : first;
}

/** Hands over the bytes of each range, fewer where the file ends within it; not in the order asked for. */
async function readRanges(
	file: JournalFile,
	ranges: readonly Range[],
	each: (index: number, bytes: Buffer) => void,
): Promise<void> {
	const order = [...ranges.keys()].sort((a, b) => ranges[a]!.offset - ranges[b]!.offset);
	let first = 0;
	while (first < order.length) {
		const start = ranges[order[first]!]!.offset;
		let end = start;
		let next = first;
		for (; next < order.length; next++) {
			const range = ranges[order[next]!]!;
			const wider = Math.max(end, range.offset + range.length);
			if (next > first && (range.offset - end > largestGap || wider - start > largestRead)) break;
			end = wider;
		}
		const indexes = order.slice(first, next);
		first = next;
		const bytes = await readableStretch(file, start, end - start);
		if (bytes === undefined) {
			// A part of the disk that cannot be read takes no more with it than what lies there.
			for (const index of indexes) {
				const { offset, length } = ranges[index]!;
				each(index, (await readableStretch(file, offset, length)) ?? Buffer.alloc(0));
			}
			continue;
		}
		for (const index of indexes) {
			const from = ranges[index]!.offset - start;
			each(index, bytes.subarray(from, from + ranges[index]!.length));
		}
	}
}

/** Bytes of a file, fewer where it ends. */
export async function readStretch({ handle }: JournalFile, offset: number, length: number): Promise<Buffer> {
	const bytes = Buffer.allocUnsafe(length);
	let filled = 0;
	while (filled < length) {
		const { bytesRead } = await handle.read(bytes, filled, length - filled, offset + filled);
		if (bytesRead === 0) break;
		filled += bytesRead;
	}
	return bytes.subarray(0, filled);
}

/** Bytes of a file, fewer where it ends; undefined where the disk cannot read them. */
function readableStretch(file: JournalFile, offset: number, length: number): Promise<Buffer | undefined> {
	return onStorage('read', file.path, () => ifThere(readStretch(file, offset, length), ['EIO']));
}
