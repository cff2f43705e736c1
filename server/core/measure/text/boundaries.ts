/** Where a text may be cut for a reader. All places are in UTF-16 units. */

const fullStops = '.!?…';
/** Those of scripts that put no space behind them. */
const wideFullStops = '。！？｡';
const closers = '"\'’”»)]*`';

/** How far back a grapheme is looked for: longer ones are not written by people. */
const longestGrapheme = 128;

function isWhite(text: string, index: number): boolean {
	return index >= text.length || /\s/.test(text.charAt(index));
}

/** The last end of a sentence or a line after `from` and up to `to`; undefined where none is. */
export function sentenceBoundary(text: string, from: number, to: number): number | undefined {
	for (let end = to; end > from; end--) if (isSentenceEnd(text, end)) return end;
	return undefined;
}

function isSentenceEnd(text: string, end: number): boolean {
	const last = text.charAt(end - 1);
	if (last === '\n' || wideFullStops.includes(last)) return true;
	if (!isWhite(text, end)) return false;
	return fullStops.includes(last) || (closers.includes(last) && isFullStop(text, end - 2));
}

function isFullStop(text: string, index: number): boolean {
	return index >= 0 && fullStops.includes(text.charAt(index));
}

/** The last end of a word before white space, after `from` and up to `to`; undefined where none is. */
export function wordBoundary(text: string, from: number, to: number): number | undefined {
	for (let end = to; end > from; end--) if (isWhite(text, end) && !isWhite(text, end - 1)) return end;
	return undefined;
}

/** The last boundary between two characters as people see them (grapheme clusters) up to `to`. */
export function graphemeBoundary(text: string, to: number): number {
	if (to >= text.length) return text.length;
	const from = Math.max(0, to - longestGrapheme);
	const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' });
	let boundary = from;
	for (const { index } of graphemes.segment(text.slice(from, to + longestGrapheme))) {
		if (from + index > to) break;
		boundary = from + index;
	}
	if (boundary > from || from === 0) return boundary;
	// No boundary far and wide: at least no pair of surrogates is cut.
	return (text.charCodeAt(to) & 0xfc00) === 0xdc00 ? to - 1 : to;
}
