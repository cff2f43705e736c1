/** Decodes single bytes of base64, only where they are read. */

/** Returns a byte by its index; NaN after the end or if the base64 is invalid. */
export type ByteAt = (index: number) => number;

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
const values = new Map([...alphabet].map((character, value) => [character.charCodeAt(0), value]));
values.set('-'.charCodeAt(0), 62);
values.set('_'.charCodeAt(0), 63);

/** Returns the bytes of base64 (standard or URL-safe; a `data:` prefix and line breaks are allowed). */
export function bytesOfBase64(base64: string): ByteAt {
	const comma = base64.startsWith('data:') ? base64.indexOf(',') + 1 : 0;
	const broken = /\s/.test(base64.slice(comma, comma + 100));
	const text = broken ? base64.slice(comma).replace(/\s+/g, '') : base64;
	const start = broken ? 0 : comma;
	return (index) => {
		const bit = index * 8;
		const first = Math.floor(bit / 6);
		const high = values.get(text.charCodeAt(start + first));
		const low = values.get(text.charCodeAt(start + first + 1));
		if (high === undefined || low === undefined) return Number.NaN;
		return (((high << 6) | low) >> (4 - (bit - first * 6))) & 0xff;
	};
}

/** Two bytes as a number, little-endian. */
export const littleEndian16 = (byteAt: ByteAt, index: number) => byteAt(index) + byteAt(index + 1) * 256;
/** Two bytes as a number, big-endian. */
export const bigEndian16 = (byteAt: ByteAt, index: number) => byteAt(index) * 256 + byteAt(index + 1);
/** Whether the bytes at an index spell an ASCII word. */
export const hasAscii = (byteAt: ByteAt, index: number, word: string) =>
	[...word].every((character, i) => byteAt(index + i) === character.charCodeAt(0));

/** Four bytes as a number, little-endian. */
export const littleEndian32 = (byteAt: ByteAt, index: number) =>
	littleEndian16(byteAt, index) + littleEndian16(byteAt, index + 2) * 65_536;

/** Four bytes as a number, big-endian. */
export const bigEndian32 = (byteAt: ByteAt, index: number) =>
	bigEndian16(byteAt, index) * 65_536 + bigEndian16(byteAt, index + 2);
