/** Bytes inside base64, decoded one by one where they are looked at. */

/** A byte by its index; NaN beyond the end or where the base64 is broken. */
export type ByteAt = (index: number) => number;

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
const values = new Map([...alphabet].map((character, value) => [character.charCodeAt(0), value]));
values.set('-'.charCodeAt(0), 62);
values.set('_'.charCodeAt(0), 63);

/** The bytes that a base64 (standard or URL-safe, a `data:` prefix and line breaks allowed) stands for. */
export function bytesOf(base64: string): ByteAt {
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

/** Two bytes as a number, the low one first. */
export const little = (byteAt: ByteAt, index: number) => byteAt(index) + byteAt(index + 1) * 256;
/** Two bytes as a number, the high one first. */
export const big = (byteAt: ByteAt, index: number) => byteAt(index) * 256 + byteAt(index + 1);
/** Whether the bytes at a place are those of a word in ASCII. */
export const says = (byteAt: ByteAt, index: number, word: string) =>
	[...word].every((character, i) => byteAt(index + i) === character.charCodeAt(0));

/** Four bytes as a number, the low one first. */
export const littleLong = (byteAt: ByteAt, index: number) =>
	little(byteAt, index) + little(byteAt, index + 2) * 65_536;

/** Four bytes as a number, the high one first. */
export const bigLong = (byteAt: ByteAt, index: number) =>
	big(byteAt, index) * 65_536 + big(byteAt, index + 2);
