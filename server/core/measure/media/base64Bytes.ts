/** Decodes single bytes of a base64 text on demand. */

/** Returns a byte by its index; NaN after the end or if the base64 is invalid. */
export type ByteReader = (index: number) => number;

const base64Alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
const valuesByCharacter = new Map(
	[...base64Alphabet].map((character, value) => [character.charCodeAt(0), value]),
);
valuesByCharacter.set('-'.charCodeAt(0), 62);
valuesByCharacter.set('_'.charCodeAt(0), 63);

/** Returns a reader of base64 bytes (standard or URL-safe; a `data:` prefix and line breaks are allowed). */
export function createByteReader(base64: string): ByteReader {
	const comma = base64.startsWith('data:') ? base64.indexOf(',') + 1 : 0;
	const hasLineBreaks = /\s/.test(base64.slice(comma, comma + 100));
	const text = hasLineBreaks ? base64.slice(comma).replace(/\s+/g, '') : base64;
	const start = hasLineBreaks ? 0 : comma;
	return (index) => {
		const bit = index * 8;
		const first = Math.floor(bit / 6);
		const high = valuesByCharacter.get(text.charCodeAt(start + first));
		const low = valuesByCharacter.get(text.charCodeAt(start + first + 1));
		if (high === undefined || low === undefined) return Number.NaN;
		return (((high << 6) | low) >> (4 - (bit - first * 6))) & 0xff;
	};
}

export const readLittleEndian16 = (byteAt: ByteReader, index: number) =>
	byteAt(index) + byteAt(index + 1) * 256;
export const readBigEndian16 = (byteAt: ByteReader, index: number) => byteAt(index) * 256 + byteAt(index + 1);
/** Whether the bytes at an index spell an ASCII word. */
export const hasAscii = (byteAt: ByteReader, index: number, word: string) =>
	[...word].every((character, i) => byteAt(index + i) === character.charCodeAt(0));

export const readLittleEndian32 = (byteAt: ByteReader, index: number) =>
	readLittleEndian16(byteAt, index) + readLittleEndian16(byteAt, index + 2) * 65_536;

export const readBigEndian32 = (byteAt: ByteReader, index: number) =>
	readBigEndian16(byteAt, index) * 65_536 + readBigEndian16(byteAt, index + 2);
