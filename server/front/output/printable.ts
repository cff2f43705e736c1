/** Everything that would move a cursor, ring a bell, turn the reading direction or start an escape sequence. */
const unprintable = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]+/gu;

/** The same, without what JSON escapes by itself and with what separates its lines left alone. */
const hiddenInJson = /[\u007f-\u009f\p{Cf}\p{Zl}\p{Zp}]/gu;

/**
 * JSON text as it may go to a terminal: what would move a cursor or hide text is escaped, so that it is read as
 * the same value.
 */
export function printableJson(json: string): string {
	return json.replace(hiddenInJson, (character) =>
		Array.from({ length: character.length }, (_, index) => escaped(character.charCodeAt(index))).join(''),
	);
}

function escaped(unit: number): string {
	return `\\u${unit.toString(16).padStart(4, '0')}`;
}

/** A text from outside as it may go to a terminal: one line, each run of control characters one space. */
export function printable(text: string): string {
	return text.replace(unprintable, ' ');
}
