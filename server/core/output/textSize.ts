/** Size of a text as it is stored or sent. */
export interface TextSize {
	/** UTF-8 bytes. A lone surrogate counts as U+FFFD, which has three bytes. */
	bytes: number;
	/** Number of lines. Each line ends at `\n`; a final `\n` starts no further line, and the empty text has no lines. */
	lines: number;
}

const chunkUnits = 1 << 14;
const encoder = new TextEncoder();
const scratchBytes = new Uint8Array(chunkUnits * 3);

/** Returns the UTF-8 bytes of a text. Encodes chunks into one small buffer, which is fast and allocates nothing. */
export function countUtf8Bytes(text: string): number {
	let bytes = 0;
	let start = 0;
	while (start < text.length) {
		const end = findChunkEnd(text, start);
		bytes += encoder.encodeInto(text.slice(start, end), scratchBytes).written;
		start = end;
	}
	return bytes;
}

/** Returns the end of the next chunk. Never splits a surrogate pair, whose halves would count separately. */
function findChunkEnd(text: string, start: number): number {
	const end = Math.min(text.length, start + chunkUnits);
	return end < text.length && isHighSurrogate(text.charCodeAt(end - 1)) ? end - 1 : end;
}

/** Counts the lines of a text; see `TextSize.lines`. */
export function countLines(text: string): number {
	let lines = 0;
	let newline = text.indexOf('\n');
	while (newline !== -1) {
		lines += 1;
		newline = text.indexOf('\n', newline + 1);
	}
	return text === '' || text.endsWith('\n') ? lines : lines + 1;
}

/** Returns the bytes and lines of a text. */
export function measureTextSize(text: string): TextSize {
	return { bytes: countUtf8Bytes(text), lines: countLines(text) };
}

/** Replaces each lone surrogate by U+FFFD; returns the same string if there is none. */
export function replaceLoneSurrogates(text: string): string {
	return text.replace(/\p{Surrogate}/gu, '\uFFFD');
}

export function isHighSurrogate(unit: number): boolean {
	return unit >= 0xd800 && unit <= 0xdbff;
}

export function isLowSurrogate(unit: number): boolean {
	return unit >= 0xdc00 && unit <= 0xdfff;
}
