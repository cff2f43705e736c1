/** Blocks: consecutive entries of a recording, compressed together. */

import { createHash } from 'node:crypto';
import { deflateRawSync, inflateRawSync } from 'node:zlib';

/** An entry in a block: its time, its text without long strings, and the ids of the bodies to insert at each offset. */
export type StoredEntry = [at: number, text: string, bodies?: [offset: number, ids: number[]][]];

/** Characters of a block after which a new one begins. */
export const maxBlockChars = 64 << 10;

/** Characters of a block that is compressed with less memory, since clearing it would take longer than compressing. */
const maxSmallChars = 4096;
const smallCompression = { windowBits: 13, memLevel: 5 };

/** Bytes of an entry's digest. */
const digestBytes = 12;

/** Forgotten entries are null, so that the others keep their numbers. */
export function encodeBlock(entries: readonly (StoredEntry | null)[]): Buffer {
	const text = JSON.stringify(entries);
	return deflateRawSync(text, text.length < maxSmallChars ? smallCompression : {});
}

export function decodeBlock(content: Uint8Array): (StoredEntry | null)[] {
	return JSON.parse(inflateRawSync(content).toString('utf8')) as (StoredEntry | null)[];
}

/** Identifies a text: equal digests mean equal texts. */
export function entryDigest(text: string): string {
	return createHash('sha256').update(text).digest().toString('latin1', 0, digestBytes);
}

/** The digests of a block's entries, as stored next to it. */
export function encodeDigests(digests: readonly string[]): Buffer {
	return Buffer.from(digests.join(''), 'latin1');
}

export function decodeDigests(stored: Uint8Array): string[] {
	const text = Buffer.from(stored).toString('latin1');
	return Array.from({ length: text.length / digestBytes }, (_, index) =>
		text.slice(index * digestBytes, (index + 1) * digestBytes),
	);
}
