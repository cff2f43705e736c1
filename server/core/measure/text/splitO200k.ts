import {
	findNextIndex,
	findPreviousIndex,
	findRunEnd,
	findWhitespaceEnd,
	letterClass,
	lowerClass,
	markClass,
	newlineClass,
	numberClass,
	otherClass,
	readClassAt,
	uncasedClass,
	upperClass,
	whitespaceClass,
} from './characterClass.ts';

/*
 * The pattern by which o200k_base splits a text into pieces (openai/tiktoken, tiktoken_ext/openai_public.py),
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
const symbolClasses = otherClass | markClass;

const spaceByte = 0x20;
const apostrophe = 0x27;
const slash = 0x2f;
const lowerCaseBit = 0x20;

/** Returns the end of the piece that starts at `start` in a text that ends at `end` (byte indexes in UTF-8). */
export function findO200kPieceEnd(bytes: Uint8Array, start: number, end: number): number {
	const first = readClassAt(bytes, start, end);
	if (first & letterClass) return findLettersEnd(bytes, start, end);
	if (first & numberClass) return findNumberEnd(bytes, start, end);
	if (first & markClass) return findMarkEnd(bytes, start, end);
	if (first & newlineClass) return findBlankEnd(bytes, start, end);

	const second = findNextIndex(bytes, start);
	const secondClass = readClassAt(bytes, second, end);
	if (secondClass & (letterClass | markClass)) return findLettersEnd(bytes, second, end);

	const isSymbol = (bytes[start] === spaceByte ? secondClass : first) & symbolClasses;
	return isSymbol ? findSymbolsEnd(bytes, second, end) : findBlankEnd(bytes, start, end);
}

/** Returns the end of the word at `start`, or of the run of capitals if there is no word. */
function findLettersEnd(bytes: Uint8Array, start: number, end: number): number {
	const word = findWordEnd(bytes, start, end);
	return word > start ? word : findContractionEnd(bytes, findRunEnd(bytes, start, end, headClasses), end);
}

/** Returns the end of a piece that starts with a mark: of the word after it, or else of the word with the mark. */
function findMarkEnd(bytes: Uint8Array, start: number, end: number): number {
	const second = findNextIndex(bytes, start);
	const word = findWordEnd(bytes, second, end);
	return word > second ? word : findWordEnd(bytes, start, end);
}

/** Returns where the alternative `word`, without its optional first character, ends; `start` if it does not match. */
function findWordEnd(bytes: Uint8Array, start: number, end: number): number {
	const head = findRunEnd(bytes, start, end, headClasses);
	const tail = findRunEnd(bytes, head, end, tailClasses);
	if (tail > head) return findContractionEnd(bytes, tail, end);
	// Backtrack: the head ends after its last character that can also be a tail.
	let last = head;
	while (last > start) {
		const before = findPreviousIndex(bytes, last);
		if (readClassAt(bytes, before, end) & tailClasses) return findContractionEnd(bytes, last, end);
		last = before;
	}
	return start;
}

/** Returns the end of `(?i:'s|'t|'re|'ve|'m|'ll|'d)?` at `index`. */
function findContractionEnd(bytes: Uint8Array, index: number, end: number): number {
	if (index + 1 >= end || bytes[index] !== apostrophe) return index;
	switch (readAsciiLetter(bytes, index + 1, end)) {
		case 's':
		case 't':
		case 'm':
		case 'd':
			return index + 2;
		case 'r':
		case 'v':
			return readAsciiLetter(bytes, index + 2, end) === 'e' ? index + 3 : index;
		case 'l':
			return readAsciiLetter(bytes, index + 2, end) === 'l' ? index + 3 : index;
		default:
			return isLongS(bytes, index + 1, end) ? index + 3 : index;
	}
}

/** Returns the letter at `index` in lower case; '' if there is no ASCII letter. */
function readAsciiLetter(bytes: Uint8Array, index: number, end: number): string {
	const isLetter = index < end && bytes[index]! < 0x80 && readClassAt(bytes, index, end) & letterClass;
	return isLetter ? String.fromCharCode(bytes[index]! | lowerCaseBit) : '';
}

/** Whether U+017F is at `index`, which equals an s for a case-insensitive regex. */
function isLongS(bytes: Uint8Array, index: number, end: number): boolean {
	return index + 1 < end && bytes[index] === 0xc5 && bytes[index + 1] === 0xbf;
}

function findNumberEnd(bytes: Uint8Array, start: number, end: number): number {
	let index = findNextIndex(bytes, start);
	for (let digits = 1; digits < 3 && readClassAt(bytes, index, end) & numberClass; digits++)
		index = findNextIndex(bytes, index);
	return index;
}

function findSymbolsEnd(bytes: Uint8Array, start: number, end: number): number {
	let index = findRunEnd(bytes, start, end, symbolClasses);
	while (index < end && (bytes[index] === slash || readClassAt(bytes, index, end) & newlineClass)) index++;
	return index;
}

/** Returns the end after the last line break of a run of white space, else where `\s+(?!\S)|\s+` ends. */
function findBlankEnd(bytes: Uint8Array, start: number, end: number): number {
	let last = findRunEnd(bytes, start, end, whitespaceClass);
	while (last > start) {
		const before = findPreviousIndex(bytes, last);
		if (readClassAt(bytes, before, end) & newlineClass) return last;
		last = before;
	}
	return findWhitespaceEnd(bytes, start, end);
}
