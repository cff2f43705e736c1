/** How large a text is where it is stored or sent. */
export interface TextSize {
	/** UTF-8 bytes; a lone surrogate counts as the three of U+FFFD, which stands for it in UTF-8. */
	bytes: number;
	/** Lines; each ends at `\n`, nothing follows a final `\n`, and the empty text has none. */
	lines: number;
}

const chunkUnits = 1 << 14;
const encoder = new TextEncoder();
const scratch = new Uint8Array(chunkUnits * 3);

/**
 * UTF-8 bytes of a text. Encodes it piece by piece into one small buffer, which runs at memory speed and
 * allocates nothing that grows with the text.
 */
export function utf8Length(text: string): number {
	let bytes = 0;
	let start = 0;
	while (start < text.length) {
		const end = chunkEnd(text, start);
		bytes += encoder.encodeInto(text.slice(start, end), scratch).written;
		start = end;
	}
	return bytes;
}

/** The end of the next piece: no surrogate pair is cut in two, for each half would count as a lone one. */
function chunkEnd(text: string, start: number): number {
	const end = Math.min(text.length, start + chunkUnits);
	return end < text.length && isHighSurrogate(text.charCodeAt(end - 1)) ? end - 1 : end;
}

/** Lines of a text, as `TextSize.lines` defines them. */
export function countLines(text: string): number {
	let lines = 0;
	let newline = text.indexOf('\n');
	while (newline !== -1) {
		lines += 1;
		newline = text.indexOf('\n', newline + 1);
	}
	return text === '' || text.endsWith('\n') ? lines : lines + 1;
}

/** Bytes and lines of a text. */
export function textSize(text: string): TextSize {
	return { bytes: utf8Length(text), lines: countLines(text) };
}

/** A text in which U+FFFD stands for each lone surrogate; the same string where there is none. */
export function wellFormed(text: string): string {
	return text.replace(/\p{Surrogate}/gu, '\uFFFD');
}

export function isHighSurrogate(unit: number): boolean {
	return unit >= 0xd800 && unit <= 0xdbff;
}

export function isLowSurrogate(unit: number): boolean {
	return unit >= 0xdc00 && unit <= 0xdfff;
}
