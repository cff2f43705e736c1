import {
	classAt,
	letterClass,
	lowerClass,
	markClass,
	newlineClass,
	nextIndex,
	numberClass,
	otherClass,
	previousIndex,
	runEnd,
	uncasedClass,
	upperClass,
	whiteClass,
	whitespaceEnd,
} from './characterClass.ts';

/*
 * The pattern by which o200k_base cuts a text into pieces (openai/tiktoken, tiktoken_ext/openai_public.py),
 * as a scanner: the alternatives in the pattern's own order, without a regex engine's backtracking.
 *
 *   word     [^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?
 *   capitals [^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?
 *   number   \p{N}{1,3}
 *   symbols   ?[^\s\p{L}\p{N}]+[\r\n/]*
 *   white    \s*[\r\n]+|\s+(?!\S)|\s+
 */

const headClasses = upperClass | uncasedClass | markClass;
const tailClasses = lowerClass | uncasedClass | markClass;
const symbol = otherClass | markClass;

const spaceByte = 0x20;
const apostrophe = 0x27;
const slash = 0x2f;
const lowerCaseBit = 0x20;

/** The end of the piece that starts at `start` in a text that ends at `end` (byte indexes in UTF-8). */
export function o200kPieceEnd(bytes: Uint8Array, start: number, end: number): number {
	const first = classAt(bytes, start, end);
	if (first & letterClass) return lettersEnd(bytes, start, end);
	if (first & numberClass) return numberEnd(bytes, start, end);
	if (first & markClass) return markEnd(bytes, start, end);
	if (first & newlineClass) return blankEnd(bytes, start, end);

	const second = nextIndex(bytes, start);
	const secondClass = classAt(bytes, second, end);
	if (secondClass & (letterClass | markClass)) return lettersEnd(bytes, second, end);

	const isSymbol = (bytes[start] === spaceByte ? secondClass : first) & symbol;
	return isSymbol ? symbolsEnd(bytes, second, end) : blankEnd(bytes, start, end);
}

/** The end of a word, or of a run of capitals if no word starts at `start`. */
function lettersEnd(bytes: Uint8Array, start: number, end: number): number {
	const word = wordEnd(bytes, start, end);
	return word > start ? word : contractionEnd(bytes, runEnd(bytes, start, end, headClasses), end);
}

/** A mark before letters behaves like any other symbol, except that it is a word if it stands alone. */
function markEnd(bytes: Uint8Array, start: number, end: number): number {
	const second = nextIndex(bytes, start);
	const word = wordEnd(bytes, second, end);
	return word > second ? word : wordEnd(bytes, start, end);
}

/** The end of the word alternative without its prefix; `start` if it does not match. */
function wordEnd(bytes: Uint8Array, start: number, end: number): number {
	const head = runEnd(bytes, start, end, headClasses);
	const tail = runEnd(bytes, head, end, tailClasses);
	if (tail > head) return contractionEnd(bytes, tail, end);
	// Backtrack: the head ends after its last character that can also be a tail.
	let last = head;
	while (last > start) {
		const before = previousIndex(bytes, last);
		if (classAt(bytes, before, end) & tailClasses) return contractionEnd(bytes, last, end);
		last = before;
	}
	return start;
}

/** The end of `(?i:'s|'t|'re|'ve|'m|'ll|'d)?` at `index`. */
function contractionEnd(bytes: Uint8Array, index: number, end: number): number {
	if (index + 1 >= end || bytes[index] !== apostrophe) return index;
	switch (asciiLetter(bytes, index + 1, end)) {
		case 's':
		case 't':
		case 'm':
		case 'd':
			return index + 2;
		case 'r':
		case 'v':
			return asciiLetter(bytes, index + 2, end) === 'e' ? index + 3 : index;
		case 'l':
			return asciiLetter(bytes, index + 2, end) === 'l' ? index + 3 : index;
		default:
			return isLongS(bytes, index + 1, end) ? index + 3 : index;
	}
}

/** The letter at `index` in lower case; '' if there is no ASCII letter. */
function asciiLetter(bytes: Uint8Array, index: number, end: number): string {
	const isLetter = index < end && bytes[index]! < 0x80 && classAt(bytes, index, end) & letterClass;
	return isLetter ? String.fromCharCode(bytes[index]! | lowerCaseBit) : '';
}

/** Whether U+017F is at `index`, which equals an s for a case-insensitive regex. */
function isLongS(bytes: Uint8Array, index: number, end: number): boolean {
	return index + 1 < end && bytes[index] === 0xc5 && bytes[index + 1] === 0xbf;
}

function numberEnd(bytes: Uint8Array, start: number, end: number): number {
	let index = nextIndex(bytes, start);
	for (let digits = 1; digits < 3 && classAt(bytes, index, end) & numberClass; digits++)
		index = nextIndex(bytes, index);
	return index;
}

function symbolsEnd(bytes: Uint8Array, start: number, end: number): number {
	let index = runEnd(bytes, start, end, symbol);
	while (index < end && (bytes[index] === slash || classAt(bytes, index, end) & newlineClass)) index++;
	return index;
}

/** Returns the end after the last line break of a run of white space, else where `\s+(?!\S)|\s+` ends. */
function blankEnd(bytes: Uint8Array, start: number, end: number): number {
	let last = runEnd(bytes, start, end, whiteClass);
	while (last > start) {
		const before = previousIndex(bytes, last);
		if (classAt(bytes, before, end) & newlineClass) return last;
		last = before;
	}
	return whitespaceEnd(bytes, start, end);
}
