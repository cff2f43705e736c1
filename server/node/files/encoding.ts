import { isUtf8 } from 'node:buffer';
import { TextDecoder } from 'node:util';

/** How the bytes of a text file are to be read. */
export interface Encoding {
	name: 'utf-8' | 'utf-16le' | 'utf-16be' | 'latin1';
	/** Bytes of the mark at the start that are no text. */
	markBytes: number;
}

/** Bytes from the start of a file that are enough to tell its encoding. */
export const sampleBytes = 1 << 16;

const binaryShare = 0.1;

/**
 * The encoding of a file by its first bytes: by its mark, else UTF-8 where they are valid UTF-8, else
 * Latin-1 (read as Windows-1252, as browsers do). `undefined` when they are no text: a NUL among them, or
 * more than a tenth control characters.
 */
export function detectEncoding(sample: Buffer): Encoding | undefined {
	if (sample[0] === 0xff && sample[1] === 0xfe) return { name: 'utf-16le', markBytes: 2 };
	if (sample[0] === 0xfe && sample[1] === 0xff) return { name: 'utf-16be', markBytes: 2 };
	if (sample[0] === 0xef && sample[1] === 0xbb && sample[2] === 0xbf) return { name: 'utf-8', markBytes: 3 };
	if (isBinary(sample)) return undefined;
	return { name: isUtf8(withoutCutCharacter(sample)) ? 'utf-8' : 'latin1', markBytes: 0 };
}

/** A decoder that takes a file piece by piece; what cannot be decoded becomes U+FFFD. */
export function decoderOf(encoding: Encoding): TextDecoder {
	return new TextDecoder(encoding.name, { ignoreBOM: true });
}

function isBinary(sample: Buffer): boolean {
	let control = 0;
	for (const byte of sample) {
		if (byte === 0) return true;
		if (byte === 0x7f || (byte < 0x20 && !(byte >= 0x08 && byte <= 0x0d) && byte !== 0x1b)) control += 1;
	}
	return control > sample.length * binaryShare;
}

/** The sample without a last character whose bytes it may not hold in full. */
function withoutCutCharacter(sample: Buffer): Buffer {
	for (let back = 1; back <= Math.min(3, sample.length); back += 1) {
		const byte = sample[sample.length - back]!;
		if (byte >= 0xc0) return sample.subarray(0, sample.length - back);
		if (byte < 0x80) break;
	}
	return sample;
}
