import { isUtf8 } from 'node:buffer';
import { TextDecoder } from 'node:util';

/** How to decode the bytes of a text file. */
export interface Encoding {
	name: 'utf-8' | 'utf-16le' | 'utf-16be' | 'latin1';
	/** Length of the byte order mark at the start, in bytes. */
	markBytes: number;
}

/** Bytes at the start of a file that suffice to detect its encoding. */
export const sampleBytes = 1 << 16;

/** A file with a higher share of control characters is not text. */
const maxControlShare = 0.1;

/**
 * Detects the encoding of a file from its first bytes; `undefined` if they are not text.
 *
 * Follows the byte order mark. Without a mark, valid UTF-8 is UTF-8 and anything else is Latin-1, read as Windows-1252 as in
 * browsers. Bytes with a NUL, or with more than a tenth control characters, are not text.
 */
export function detectEncoding(sample: Buffer): Encoding | undefined {
	if (sample[0] === 0xff && sample[1] === 0xfe) return { name: 'utf-16le', markBytes: 2 };
	if (sample[0] === 0xfe && sample[1] === 0xff) return { name: 'utf-16be', markBytes: 2 };
	if (sample[0] === 0xef && sample[1] === 0xbb && sample[2] === 0xbf) return { name: 'utf-8', markBytes: 3 };
	if (isBinary(sample)) return undefined;
	return { name: isUtf8(dropPartialCharacter(sample)) ? 'utf-8' : 'latin1', markBytes: 0 };
}

/** Creates a decoder that accepts a file in pieces. Bytes that cannot be decoded become U+FFFD. */
export function createTextDecoder(encoding: Encoding): TextDecoder {
	return new TextDecoder(encoding.name, { ignoreBOM: true });
}

function isBinary(sample: Buffer): boolean {
	let controlCount = 0;
	for (const byte of sample) {
		if (byte === 0) return true;
		if (byte === 0x7f || (byte < 0x20 && !(byte >= 0x08 && byte <= 0x0d) && byte !== 0x1b)) controlCount += 1;
	}
	return controlCount > sample.length * maxControlShare;
}

/** Returns the sample without its last character if that may be incomplete. */
function dropPartialCharacter(sample: Buffer): Buffer {
	for (let back = 1; back <= Math.min(3, sample.length); back += 1) {
		const byte = sample[sample.length - back]!;
		if (byte >= 0xc0) return sample.subarray(0, sample.length - back);
		if (byte < 0x80) break;
	}
	return sample;
}
