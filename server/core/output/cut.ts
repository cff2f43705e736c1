import { cutAtGrapheme } from './characterBoundary.ts';
import { isHighSurrogate, isLowSurrogate } from './textSize.ts';

/** A stretch at one end of a text. */
export interface TextEnd {
	text: string;
	/** UTF-8 bytes. */
	bytes: number;
	lines: number;
	/** The limit that ended the stretch; absent if it is the whole text. */
	limit?: 'bytes' | 'lines';
	/** It is part of a line that did not fit. */
	partial?: boolean;
}

/** As many complete lines from the start as fit both limits. */
export function headLines(text: string, maxBytes: number, maxLines: number): TextEnd {
	let bytes = 0;
	let index = 0;
	let end = 0;
	const kept = { bytes: 0, lines: 0 };
	const cut = (): TextEnd => ({ text: text.slice(0, end), ...kept });
	while (index < text.length) {
		if (kept.lines >= maxLines) return { ...cut(), limit: 'lines' };
		const size = codePointAt(text, index);
		if (bytes + size.bytes > maxBytes) return { ...cut(), limit: 'bytes' };
		bytes += size.bytes;
		index += size.units;
		if (text.charCodeAt(index - 1) !== 0x0a && index < text.length) continue;
		end = index;
		kept.bytes = bytes;
		kept.lines += 1;
	}
	return cut();
}

/** As many complete lines from the end as fit both limits. */
export function tailLines(text: string, maxBytes: number, maxLines: number): TextEnd {
	let bytes = 0;
	let index = text.length;
	let start = text.length;
	const kept = { bytes: 0, lines: 0 };
	const cut = (): TextEnd => ({ text: text.slice(start), ...kept });
	while (index > 0) {
		if (kept.lines >= maxLines) return { ...cut(), limit: 'lines' };
		const size = codePointBefore(text, index);
		if (bytes + size.bytes > maxBytes) return { ...cut(), limit: 'bytes' };
		bytes += size.bytes;
		index -= size.units;
		if (index > 0 && text.charCodeAt(index - 1) !== 0x0a) continue;
		start = index;
		kept.bytes = bytes;
		kept.lines += 1;
	}
	return cut();
}

/**
 * The first characters of a text whose first line does not fit: whole grapheme clusters, or whole code
 * points if not even the first cluster fits.
 */
export function headCharacters(text: string, maxBytes: number): TextEnd {
	let bytes = 0;
	let index = 0;
	while (index < text.length) {
		const size = codePointAt(text, index);
		if (bytes + size.bytes > maxBytes) break;
		bytes += size.bytes;
		index += size.units;
	}
	const whole = cutAtGrapheme(text, index, 'before');
	const end = whole === 0 ? index : whole;
	return partOfLine(text.slice(0, end), bytes - spanBytes(text, end, index));
}

/** The last characters of a text whose last line does not fit: whole grapheme clusters or code points. */
export function tailCharacters(text: string, maxBytes: number): TextEnd {
	let bytes = 0;
	let index = text.length;
	while (index > 0) {
		const size = codePointBefore(text, index);
		if (bytes + size.bytes > maxBytes) break;
		bytes += size.bytes;
		index -= size.units;
	}
	const whole = cutAtGrapheme(text, index, 'after');
	const start = whole === text.length ? index : whole;
	return partOfLine(text.slice(start), bytes - spanBytes(text, index, start));
}

function partOfLine(text: string, bytes: number): TextEnd {
	return { text, bytes, lines: bytes > 0 ? 1 : 0, limit: 'bytes', partial: bytes > 0 };
}

function spanBytes(text: string, from: number, to: number): number {
	let bytes = 0;
	let index = from;
	while (index < to) {
		const size = codePointAt(text, index);
		bytes += size.bytes;
		index += size.units;
	}
	return bytes;
}

interface CodePointSize {
	bytes: number;
	units: number;
}

const oneByte: CodePointSize = { bytes: 1, units: 1 };
const twoBytes: CodePointSize = { bytes: 2, units: 1 };
const threeBytes: CodePointSize = { bytes: 3, units: 1 };
const surrogatePair: CodePointSize = { bytes: 4, units: 2 };

function codePointAt(text: string, index: number): CodePointSize {
	const unit = text.charCodeAt(index);
	if (unit < 0x80) return oneByte;
	if (unit < 0x800) return twoBytes;
	return isHighSurrogate(unit) && isLowSurrogate(text.charCodeAt(index + 1)) ? surrogatePair : threeBytes;
}

function codePointBefore(text: string, index: number): CodePointSize {
	const unit = text.charCodeAt(index - 1);
	if (unit < 0x80) return oneByte;
	if (unit < 0x800) return twoBytes;
	return isLowSurrogate(unit) && isHighSurrogate(text.charCodeAt(index - 2)) ? surrogatePair : threeBytes;
}
