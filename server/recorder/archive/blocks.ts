/** Blocks: consecutive entries of a recording, compressed together. */

import { createHash } from 'node:crypto';
import { deflateRawSync, inflateRawSync } from 'node:zlib';

/** An entry in a block: its time, its text without long strings, and the bodies to insert at some offsets. */
export type StoredEntry = [at: number, text: string, bodies?: [offset: number, ids: number[]][]];

/** A block with at least this many characters is full. */
export const maxBlockChars = 64 << 10;

/** Blocks with fewer characters are compressed with less memory: clearing that memory would take longer than compressing. */
const maxSmallBlockChars = 4096;
const smallCompression = { windowBits: 13, memLevel: 5 };

/** Bytes of an entry's digest. */
const digestBytes = 12;

/** Compresses entries. A forgotten entry is null, so that the index of each later entry stays the same. */
export function encodeBlock(entries: readonly (StoredEntry | null)[]): Buffer {
	const text = JSON.stringify(entries);
	return deflateRawSync(text, text.length < maxSmallBlockChars ? smallCompression : {});
}

export function decodeBlock(content: Uint8Array): (StoredEntry | null)[] {
	return JSON.parse(inflateRawSync(content).toString('utf8')) as (StoredEntry | null)[];
}

/** Returns a digest that identifies a text. */
export function digestEntry(text: string): string {
	return createHash('sha256').update(text).digest().toString('latin1', 0, digestBytes);
}

/** Joins the digests of a block's entries to the value that is stored with the block. */
export function encodeDigests(digests: readonly string[]): Buffer {
	return Buffer.from(digests.join(''), 'latin1');
}

export function decodeDigests(bytes: Uint8Array): string[] {
	const text = Buffer.from(bytes).toString('latin1');
	return Array.from({ length: text.length / digestBytes }, (_, index) =>
		text.slice(index * digestBytes, (index + 1) * digestBytes),
	);
}
