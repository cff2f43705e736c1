import type { CountText } from './countText.ts';

/** Windows that a sampled text is counted in. */
const WINDOWS = 64;
/** UTF-16 units of a window, in a text with words in it. */
const WINDOW_UNITS = 8192;
/** The same in a window without a break: its pieces cost more to merge, and are more alike. */
const UNBROKEN_WINDOW_UNITS = 1024;
/** A stretch of so many UTF-16 units without a change between white space and the rest has no break. */
const LONGEST_UNBROKEN = 512;

/**
 * Estimates the tokens of a large text by counting 64 windows of 8192 UTF-16 units each, or of half the
 * text where that is less, spread evenly over it, and scaling up. Each window stands at a place within its
 * share of the text that looks random, so that it does not keep in step with data that repeats; the places
 * depend on the text's length alone, so that equal texts give equal counts. The cost does not grow with
 * the text.
 */
export function countSampled(text: string, count: CountText): number {
	const share = text.length / WINDOWS;
	const size = Math.min(WINDOW_UNITS, Math.floor(share / 2));
	let tokens = 0;
	for (let window = 0; window < WINDOWS; window++) {
		const start = Math.floor(window * share + (share - size) * jitter(window));
		const sample = text.slice(start, start + size);
		const counted = hasBreaks(sample) ? sample : sample.slice(0, UNBROKEN_WINDOW_UNITS);
		tokens += (count(counted) / counted.length) * share;
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

function hasBreaks(sample: string): boolean {
	let stretchStart = 0;
	let wasWhite = false;
	for (let at = 0; at < sample.length; at++) {
		const isWhite = sample.charCodeAt(at) <= 0x20;
		if (isWhite !== wasWhite) {
			stretchStart = at;
			wasWhite = isWhite;
		}
		if (at - stretchStart >= LONGEST_UNBROKEN) return false;
	}
	return true;
}
