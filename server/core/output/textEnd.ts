import { findCharacterBoundary } from './characterBoundary.ts';
import { countUtf8Bytes } from './textSize.ts';

/** A part at the start or the end of a text. */
export interface TextEnd {
	text: string;
	/** UTF-8 bytes. */
	bytes: number;
	lines: number;
	/** The limit that ended the part; absent if the part is the whole text. */
	limit?: 'bytes' | 'lines';
	/** Whether the part is an incomplete line, because the whole line did not fit. */
	isPartial?: boolean;
}

/** Returns as many complete lines from the start as fit both limits. */
export function takeHeadLines(text: string, maxBytes: number, maxLines: number): TextEnd {
	let end = 0;
	const size = { bytes: 0, lines: 0 };
	while (end < text.length) {
		if (size.lines >= maxLines) return { text: text.slice(0, end), ...size, limit: 'lines' };
		const nextStart = text.indexOf('\n', end) + 1 || text.length;
		const bytes = countLineBytes(text, end, nextStart, maxBytes - size.bytes);
		if (bytes === undefined) return { text: text.slice(0, end), ...size, limit: 'bytes' };
		end = nextStart;
		size.bytes += bytes;
		size.lines += 1;
	}
	return { text, ...size };
}

/** Returns as many complete lines from the end as fit both limits. */
export function takeTailLines(text: string, maxBytes: number, maxLines: number): TextEnd {
	let start = text.length;
	const size = { bytes: 0, lines: 0 };
	while (start > 0) {
		if (size.lines >= maxLines) return { text: text.slice(start), ...size, limit: 'lines' };
		const lineStart = start < 2 ? 0 : text.lastIndexOf('\n', start - 2) + 1;
		const bytes = countLineBytes(text, lineStart, start, maxBytes - size.bytes);
		if (bytes === undefined) return { text: text.slice(start), ...size, limit: 'bytes' };
		start = lineStart;
		size.bytes += bytes;
		size.lines += 1;
	}
	return { text, ...size };
}

/** Returns the UTF-8 bytes of a line; undefined if they exceed `maxBytes`. */
function countLineBytes(text: string, start: number, end: number, maxBytes: number): number | undefined {
	// Each UTF-16 unit takes at least one byte, so a line that is too long need not be encoded.
	if (end - start > maxBytes) return undefined;
	const bytes = countUtf8Bytes(text.slice(start, end));
	return bytes > maxBytes ? undefined : bytes;
}

/**
 * Returns the first characters of a text whose first line does not fit: whole grapheme clusters, or whole code points if
 * not even the first cluster fits.
 */
export function takeHeadChars(text: string, maxBytes: number): TextEnd {
	const fittingUnits = new TextEncoder().encodeInto(text.slice(0, maxBytes), new Uint8Array(maxBytes)).read;
	const boundary = findCharacterBoundary(text, fittingUnits, 'before');
	return createPartOfLine(text.slice(0, boundary === 0 ? fittingUnits : boundary));
}

/** Returns the last characters of a text whose last line does not fit: whole grapheme clusters or code points. */
export function takeTailChars(text: string, maxBytes: number): TextEnd {
	const bytes = new TextEncoder().encode(text.slice(Math.max(0, text.length - maxBytes)));
	let from = Math.max(0, bytes.length - maxBytes);
	while (isContinuationByte(bytes[from])) from += 1;
	// The last bytes decode to as many units as they were encoded from.
	const start =
		text.length - new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes.subarray(from)).length;
	const boundary = findCharacterBoundary(text, start, 'after');
	return createPartOfLine(text.slice(boundary === text.length ? start : boundary));
}

/** Whether a byte of UTF-8 is not the first byte of a code point. */
export function isContinuationByte(byte: number | undefined): boolean {
	return byte !== undefined && (byte & 0xc0) === 0x80;
}

function createPartOfLine(text: string): TextEnd {
	const isPartial = text !== '';
	return { text, bytes: countUtf8Bytes(text), lines: isPartial ? 1 : 0, limit: 'bytes', isPartial };
}
