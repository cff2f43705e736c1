/** Extracts long strings from JSON texts, so that equal strings are stored once. */

/** A string that was extracted from a text. */
export interface LongString {
	/** Index in the remaining text at which the string is inserted again. */
	offset: number;
	/** The characters between the quotes, still escaped. */
	content: string;
}

/** A text without its long strings. */
export interface ShortenedText {
	text: string;
	longStrings: LongString[];
}

/** Minimum characters of a string that is extracted. */
export const minLongStringChars = 2048;

/** Extracts the long strings from a text. Accepts any text, not only JSON; linear in its length. */
export function extractLongStrings(text: string): ShortenedText {
	const longStrings: LongString[] = [];
	if (text.length < minLongStringChars) return { text, longStrings };
	const remainingParts: string[] = [];
	let [from, offset] = [0, 0];
	for (let quote = text.indexOf('"'); quote >= 0; ) {
		const start = quote + 1;
		const end = findStringEnd(text, start);
		if (end < 0) break;
		if (end - start >= minLongStringChars) {
			remainingParts.push(text.slice(from, start));
			offset += start - from;
			longStrings.push({ offset, content: text.slice(start, end) });
			from = end;
		}
		quote = text.indexOf('"', end + 1);
	}
	return longStrings.length === 0
		? { text, longStrings }
		: { text: remainingParts.join('') + text.slice(from), longStrings };
}

/** Inserts extracted strings again; `longStrings` must be sorted by offset. */
export function insertLongStrings({ text, longStrings }: ShortenedText): string {
	const pieces: string[] = [];
	let from = 0;
	for (const { offset, content } of longStrings) {
		pieces.push(text.slice(from, offset), content);
		from = offset;
	}
	return pieces.join('') + text.slice(from);
}

/** Returns the index of the quote that ends a string; -1 if there is none. */
function findStringEnd(text: string, start: number): number {
	for (let quote = text.indexOf('"', start); quote >= 0; quote = text.indexOf('"', quote + 1)) {
		let slash = quote;
		while (slash > start && text.charCodeAt(slash - 1) === backslash) slash--;
		if ((quote - slash) % 2 === 0) return quote;
	}
	return -1;
}

const backslash = 0x5c;
