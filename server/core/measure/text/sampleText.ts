/** Counts the tokens of a text: a whole number, 0 for the empty text. Pure. */
export type TokenCounter = (text: string) => number;

/** Number of windows of a sampled text that are counted. */
const windowCount = 256;
/** Maximum length of a window, in UTF-16 units. */
const windowUnits = 1024;
/** Maximum distance that the end of a window moves to reach the end of a word, in UTF-16 units. */
const maxWordShift = 64;
/** A stretch of this many UTF-16 units without a change between white space and text is unbroken. */
const minUnbrokenLength = 256;
/** Only one in this many unbroken windows is counted: unbroken data is uniform and expensive to count. */
const unbrokenStride = 4;

/**
 * Estimates the tokens of a large text by counting 256 windows and scaling up. Constant time.
 *
 * A window has 1024 UTF-16 units, or fewer if all windows together would exceed half of the text. Each window is
 * placed pseudo-randomly within its share of the text, so that it cannot align with repeating data. The positions
 * depend only on the text's length, so equal texts give equal counts. On recorded sessions, concatenated to such
 * lengths, the mean error is below 1 % and the largest 1.9 %.
 */
export function countSampled(text: string, count: TokenCounter): number {
	const share = text.length / windowCount;
	const size = Math.min(windowUnits, Math.floor(share / 2));
	let tokens = 0;
	let unbrokenCount = 0;
	let unbrokenRate = 0;
	for (let window = 0; window < windowCount; window++) {
		const start = Math.floor(window * share + (share - size) * computeWindowOffset(window));
		const sample = text.slice(findNextWordEnd(text, start), findNextWordEnd(text, start + size));
		if (hasBreaks(sample)) {
			tokens += (count(sample) / sample.length) * share;
		} else {
			if (unbrokenCount++ % unbrokenStride === 0) unbrokenRate = count(sample) / sample.length;
			tokens += unbrokenRate * share;
		}
	}
	return Math.ceil(tokens);
}

/** Returns a pseudo-random number in [0, 1) for a window, by the final steps of MurmurHash3. */
function computeWindowOffset(window: number): number {
	let hash = Math.imul(window + 1, 0x9e3779b1);
	hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
	hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
	return ((hash ^ (hash >>> 16)) >>> 0) / 2 ** 32;
}

/** Returns the next end of a word from `start` on; if none is near, a position that splits no surrogate pair. */
function findNextWordEnd(text: string, start: number): number {
	const lastIndex = Math.min(start + maxWordShift, text.length - 1);
	for (let index = Math.max(1, start); index < lastIndex; index++) {
		if (isWhitespace(text, index) && !isWhitespace(text, index - 1)) return index;
	}
	const splitsPair = (text.charCodeAt(start) & 0xfc00) === 0xdc00;
	return splitsPair ? start + 1 : start;
}

function isWhitespace(text: string, index: number): boolean {
	return text.charCodeAt(index) <= 0x20;
}

function hasBreaks(sample: string): boolean {
	let stretchStart = 0;
	for (let index = 1; index < sample.length; index++) {
		if (isWhitespace(sample, index) !== isWhitespace(sample, index - 1)) stretchStart = index;
		if (index - stretchStart >= minUnbrokenLength) return false;
	}
	return true;
}
