/** Finds positions at which a text may be truncated for a reader. All positions are in UTF-16 units. */

const fullStops = '.!?…';
/** Full stops of scripts without spaces between sentences. */
const wideFullStops = '。！？｡';
const closingMarks = '"\'’”»)]*`';

/** Maximum distance searched for the start of a grapheme; nobody writes longer graphemes. */
const maxGraphemeLength = 128;

function isWhitespaceAt(text: string, index: number): boolean {
	return index >= text.length || /\s/.test(text.charAt(index));
}

/** Returns the last end of a sentence or line in (`from`, `to`]; undefined if there is none. */
export function findSentenceEnd(text: string, from: number, to: number): number | undefined {
	for (let end = to; end > from; end--) if (isSentenceEnd(text, end)) return end;
	return undefined;
}

function isSentenceEnd(text: string, end: number): boolean {
	const last = text.charAt(end - 1);
	if (last === '\n' || wideFullStops.includes(last)) return true;
	if (!isWhitespaceAt(text, end)) return false;
	return fullStops.includes(last) || (closingMarks.includes(last) && isFullStop(text, end - 2));
}

function isFullStop(text: string, index: number): boolean {
	return index >= 0 && fullStops.includes(text.charAt(index));
}

/** Returns the last end of a word before white space in (`from`, `to`]; undefined if there is none. */
export function findWordEnd(text: string, from: number, to: number): number | undefined {
	for (let end = to; end > from; end--)
		if (isWhitespaceAt(text, end) && !isWhitespaceAt(text, end - 1)) return end;
	return undefined;
}

/** Returns the last boundary between two user-perceived characters (grapheme clusters) up to `to`. */
export function findGraphemeBoundary(text: string, to: number): number {
	if (to >= text.length) return text.length;
	const from = Math.max(0, to - maxGraphemeLength);
	const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' });
	let boundary = from;
	for (const { index } of graphemes.segment(text.slice(from, to + maxGraphemeLength))) {
		if (from + index > to) break;
		boundary = from + index;
	}
	if (boundary > from || from === 0) return boundary;
	// No boundary is near; avoid at least splitting a surrogate pair.
	return (text.charCodeAt(to) & 0xfc00) === 0xdc00 ? to - 1 : to;
}
