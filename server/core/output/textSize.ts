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
	for (const chunk of splitText(text, chunkUnits)) bytes += encoder.encodeInto(chunk, scratchBytes).written;
	return bytes;
}

/** Yields a text in chunks of at most `maxUnits` UTF-16 units, without splitting surrogate pairs. */
export function* splitText(text: string, maxUnits: number): Generator<string> {
	for (let start = 0; start < text.length; ) {
		let end = Math.min(text.length, start + maxUnits);
		if (end < text.length && isHighSurrogate(text.charCodeAt(end - 1))) end -= 1;
		yield text.slice(start, end);
		start = end;
	}
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

export function isHighSurrogate(unit: number): boolean {
	return unit >= 0xd800 && unit <= 0xdbff;
}

export function isLowSurrogate(unit: number): boolean {
	return unit >= 0xdc00 && unit <= 0xdfff;
}
