/**
 * Classes of Unicode characters, as the patterns of tokenizers distinguish them. Each class is one bit, so a character
 * set is an "or" of classes and membership is one "and". Texts are well-formed UTF-8; all indexes are in bytes.
 */

/** Uppercase and titlecase letters: `\p{Lu}` and `\p{Lt}`. */
export const upperClass = 1;
/** Lowercase letters: `\p{Ll}`. */
export const lowerClass = 2;
/** `\p{Lm}` and `\p{Lo}`: modifiers and letters of scripts without case. */
export const uncasedClass = 4;
/** Combining marks: `\p{M}`. */
export const markClass = 8;
/** Digits and other numbers: `\p{N}`. */
export const numberClass = 16;
/** `\p{White_Space}` without carriage return and line feed. */
const spaceClass = 32;
/** Carriage return and line feed. */
export const newlineClass = 64;
/** Everything else: punctuation, symbols, control characters, unassigned ones, lone surrogates. */
export const otherClass = 128;

/** All letters: `\p{L}`. */
export const letterClass = upperClass | lowerClass | uncasedClass;
/** `\s` of Rust's regex engine (with U+0085, without U+FEFF), which differs from JavaScript's. */
export const whitespaceClass = spaceClass | newlineClass;

const charactersPerPage = 256;

// Zero means "not classified yet". A page of 256 characters is classified when one of them first occurs, so only
// scripts in use cost time and resident memory (1.1 MB at most).
const classesByCodePoint = new Uint8Array(0x110000);

const classTests: [RegExp, number][] = [
	[/^[\r\n]/u, newlineClass],
	[/^\p{White_Space}/u, spaceClass],
	[/^\p{Ll}/u, lowerClass],
	[/^[\p{Lu}\p{Lt}]/u, upperClass],
	[/^[\p{Lm}\p{Lo}]/u, uncasedClass],
	[/^\p{N}/u, numberClass],
	[/^\p{M}/u, markClass],
];

function classifyPage(codePoint: number): number {
	const first = codePoint - (codePoint % charactersPerPage);
	for (let code = first; code < first + charactersPerPage; code++) {
		const character = String.fromCodePoint(code);
		classesByCodePoint[code] = classTests.find(([pattern]) => pattern.test(character))?.[1] ?? otherClass;
	}
	return classesByCodePoint[codePoint]!;
}

export function getCharacterClass(codePoint: number): number {
	return classesByCodePoint[codePoint]! || classifyPage(codePoint);
}

function readCodePoint(bytes: Uint8Array, index: number): number {
	const first = bytes[index]!;
	if (first < 0x80) return first;
	const second = bytes[index + 1]! & 0x3f;
	if (first < 0xe0) return ((first & 0x1f) << 6) | second;
	const third = bytes[index + 2]! & 0x3f;
	if (first < 0xf0) return ((first & 0x0f) << 12) | (second << 6) | third;
	return ((first & 0x07) << 18) | (second << 12) | (third << 6) | (bytes[index + 3]! & 0x3f);
}

/** Returns the class of the character at `index`; 0 at `end`. */
export function readClassAt(bytes: Uint8Array, index: number, end: number): number {
	return index < end ? getCharacterClass(readCodePoint(bytes, index)) : 0;
}

/** Returns the index after the character at `index`. */
export function findNextIndex(bytes: Uint8Array, index: number): number {
	const first = bytes[index]!;
	if (first < 0x80) return index + 1;
	if (first < 0xe0) return index + 2;
	return first < 0xf0 ? index + 3 : index + 4;
}

/** Returns the start of the character that ends before `index`. */
export function findPreviousIndex(bytes: Uint8Array, index: number): number {
	let previous = index - 1;
	while ((bytes[previous]! & 0xc0) === 0x80) previous--;
	return previous;
}

/** Returns the end of the run of characters of `wantedClasses` that starts at `index`; at most `end`. */
export function findRunEnd(bytes: Uint8Array, index: number, end: number, wantedClasses: number): number {
	let position = index;
	while (position < end) {
		const byte = bytes[position]!;
		if (byte < 0x80) {
			if ((getCharacterClass(byte) & wantedClasses) === 0) return position;
			position++;
		} else {
			if ((getCharacterClass(readCodePoint(bytes, position)) & wantedClasses) === 0) return position;
			position = findNextIndex(bytes, position);
		}
	}
	return position;
}

/**
 * Returns the end of the piece that `\s+(?!\S)|\s+` matches at `start`, which must be white space. At the end of the
 * text the piece is the whole run of white space. Otherwise the piece is the run without its last character, which
 * belongs to the next word. A run of one character is always a piece.
 */
export function findWhitespaceEnd(bytes: Uint8Array, start: number, end: number): number {
	const run = findRunEnd(bytes, start, end, whitespaceClass);
	if (run === end) return run;
	const beforeLast = findPreviousIndex(bytes, run);
	return beforeLast > start ? beforeLast : findNextIndex(bytes, start);
}
