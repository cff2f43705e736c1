import { findCharacterBoundary } from './characterBoundary.ts';
import { isHighSurrogate, isLowSurrogate } from './textSize.ts';

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
	let bytes = 0;
	let index = 0;
	let end = 0;
	const keptSize = { bytes: 0, lines: 0 };
	const createEnd = (): TextEnd => ({ text: text.slice(0, end), ...keptSize });
	while (index < text.length) {
		if (keptSize.lines >= maxLines) return { ...createEnd(), limit: 'lines' };
		const size = measureCodePointAt(text, index);
		if (bytes + size.bytes > maxBytes) return { ...createEnd(), limit: 'bytes' };
		bytes += size.bytes;
		index += size.units;
		if (text.charCodeAt(index - 1) !== 0x0a && index < text.length) continue;
		end = index;
		keptSize.bytes = bytes;
		keptSize.lines += 1;
	}
	return createEnd();
}

/** Returns as many complete lines from the end as fit both limits. */
export function takeTailLines(text: string, maxBytes: number, maxLines: number): TextEnd {
	let bytes = 0;
	let index = text.length;
	let start = text.length;
	const keptSize = { bytes: 0, lines: 0 };
	const createEnd = (): TextEnd => ({ text: text.slice(start), ...keptSize });
	while (index > 0) {
		if (keptSize.lines >= maxLines) return { ...createEnd(), limit: 'lines' };
		const size = measureCodePointBefore(text, index);
		if (bytes + size.bytes > maxBytes) return { ...createEnd(), limit: 'bytes' };
		bytes += size.bytes;
		index -= size.units;
		if (index > 0 && text.charCodeAt(index - 1) !== 0x0a) continue;
		start = index;
		keptSize.bytes = bytes;
		keptSize.lines += 1;
	}
	return createEnd();
}

/**
 * Returns the first characters of a text whose first line does not fit: whole grapheme clusters, or whole code points if
 * not even the first cluster fits.
 */
export function takeHeadCharacters(text: string, maxBytes: number): TextEnd {
	let bytes = 0;
	let index = 0;
	while (index < text.length) {
		const size = measureCodePointAt(text, index);
		if (bytes + size.bytes > maxBytes) break;
		bytes += size.bytes;
		index += size.units;
	}
	const boundary = findCharacterBoundary(text, index, 'before');
	const end = boundary === 0 ? index : boundary;
	return createPartOfLine(text.slice(0, end), bytes - countSpanBytes(text, end, index));
}

/** Returns the last characters of a text whose last line does not fit: whole grapheme clusters or code points. */
export function takeTailCharacters(text: string, maxBytes: number): TextEnd {
	let bytes = 0;
	let index = text.length;
	while (index > 0) {
		const size = measureCodePointBefore(text, index);
		if (bytes + size.bytes > maxBytes) break;
		bytes += size.bytes;
		index -= size.units;
	}
	const boundary = findCharacterBoundary(text, index, 'after');
	const start = boundary === text.length ? index : boundary;
	return createPartOfLine(text.slice(start), bytes - countSpanBytes(text, index, start));
}

function createPartOfLine(text: string, bytes: number): TextEnd {
	return { text, bytes, lines: bytes > 0 ? 1 : 0, limit: 'bytes', isPartial: bytes > 0 };
}

function countSpanBytes(text: string, from: number, to: number): number {
	let bytes = 0;
	let index = from;
	while (index < to) {
		const size = measureCodePointAt(text, index);
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

function measureCodePointAt(text: string, index: number): CodePointSize {
	const unit = text.charCodeAt(index);
	if (unit < 0x80) return oneByte;
	if (unit < 0x800) return twoBytes;
	return isHighSurrogate(unit) && isLowSurrogate(text.charCodeAt(index + 1)) ? surrogatePair : threeBytes;
}

function measureCodePointBefore(text: string, index: number): CodePointSize {
	const unit = text.charCodeAt(index - 1);
	if (unit < 0x80) return oneByte;
	if (unit < 0x800) return twoBytes;
	return isLowSurrogate(unit) && isHighSurrogate(text.charCodeAt(index - 2)) ? surrogatePair : threeBytes;
}
