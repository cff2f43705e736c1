/**
 * Classes of Unicode characters, as the patterns of tokenizers tell them apart. Each class is one bit, so
 * that a character set of a pattern is an "or" of classes and membership is one "and".
 *
 * Texts are read as well-formed UTF-8; all indexes are in bytes.
 */

/** `\p{Lu}` and `\p{Lt}`. */
export const upperClass = 1;
/** `\p{Ll}`. */
export const lowerClass = 2;
/** `\p{Lm}` and `\p{Lo}`: modifiers and letters of scripts without case. */
export const uncasedClass = 4;
/** `\p{M}`. */
export const markClass = 8;
/** `\p{N}`. */
export const numberClass = 16;
/** `\p{White_Space}` without carriage return and line feed. */
const spaceClass = 32;
/** Carriage return and line feed. */
export const newlineClass = 64;
/** All the rest: punctuation, symbols, control characters, unassigned ones, lone surrogates. */
export const otherClass = 128;

/** `\p{L}`. */
export const letterClass = upperClass | lowerClass | uncasedClass;
/** `\s` as Rust's regex engine has it (with U+0085, without U+FEFF), not as JavaScript's. */
export const whiteClass = spaceClass | newlineClass;

const pageSize = 256;

// Zero means "not classified yet": a page of 256 is classified when one of its characters first occurs,
// so that only the scripts that are really used cost time and resident memory (1.1 MB at the very most).
const classes = new Uint8Array(0x110000);

const tests: [RegExp, number][] = [
	[/^[\r\n]/u, newlineClass],
	[/^\p{White_Space}/u, spaceClass],
	[/^\p{Ll}/u, lowerClass],
	[/^[\p{Lu}\p{Lt}]/u, upperClass],
	[/^[\p{Lm}\p{Lo}]/u, uncasedClass],
	[/^\p{N}/u, numberClass],
	[/^\p{M}/u, markClass],
];

function classify(codePoint: number): number {
	const first = codePoint - (codePoint % pageSize);
	for (let each = first; each < first + pageSize; each++) {
		const character = String.fromCodePoint(each);
		classes[each] = tests.find(([pattern]) => pattern.test(character))?.[1] ?? otherClass;
	}
	return classes[codePoint]!;
}

/** The class of a character. */
export function characterClassOf(codePoint: number): number {
	return classes[codePoint]! || classify(codePoint);
}

function codePointAt(bytes: Uint8Array, index: number): number {
	const first = bytes[index]!;
	if (first < 0x80) return first;
	const second = bytes[index + 1]! & 0x3f;
	if (first < 0xe0) return ((first & 0x1f) << 6) | second;
	const third = bytes[index + 2]! & 0x3f;
	if (first < 0xf0) return ((first & 0x0f) << 12) | (second << 6) | third;
	return ((first & 0x07) << 18) | (second << 12) | (third << 6) | (bytes[index + 3]! & 0x3f);
}

/** The class of the character that begins at `index`; 0 at `end`, where the text ends. */
export function classAt(bytes: Uint8Array, index: number, end: number): number {
	return index < end ? characterClassOf(codePointAt(bytes, index)) : 0;
}

/** The index after the character that begins at `index`. */
export function nextIndex(bytes: Uint8Array, index: number): number {
	const first = bytes[index]!;
	if (first < 0x80) return index + 1;
	if (first < 0xe0) return index + 2;
	return first < 0xf0 ? index + 3 : index + 4;
}

/** Where the character begins that ends before `index`. */
export function previousIndex(bytes: Uint8Array, index: number): number {
	let previous = index - 1;
	while ((bytes[previous]! & 0xc0) === 0x80) previous--;
	return previous;
}

/** The end of the run of characters of the classes in `set` that begins at `index`; `end` at most. */
export function runEnd(bytes: Uint8Array, index: number, end: number, set: number): number {
	let position = index;
	while (position < end) {
		const byte = bytes[position]!;
		if (byte < 0x80) {
			if ((characterClassOf(byte) & set) === 0) return position;
			position++;
		} else {
			if ((characterClassOf(codePointAt(bytes, position)) & set) === 0) return position;
			position = nextIndex(bytes, position);
		}
	}
	return position;
}

/**
 * The end of the piece that `\s+(?!\S)|\s+` matches at `start`, where white space stands: the whole run at
 * the end of the text, otherwise all of it but the last character, which belongs to the word that follows;
 * a run of one character is a piece of its own.
 */
export function whitespaceEnd(bytes: Uint8Array, start: number, end: number): number {
	const run = runEnd(bytes, start, end, whiteClass);
	if (run === end) return run;
	const beforeLast = previousIndex(bytes, run);
	return beforeLast > start ? beforeLast : nextIndex(bytes, start);
}
