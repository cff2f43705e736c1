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
	return `\\u${hexOf(unit, 4)}`;
}

function hexOf(value: number, digits: number): string {
	return value.toString(16).padStart(digits, '0');
}

/**
 * Returns a text as one word of a shell's command line that a terminal may show: what would move a cursor or hide text
 * is escaped as bash, zsh and ksh read it.
 */
export function printableShellWord(text: string): string {
	if (/^[\w@%+=:,./-]+$/.test(text)) return text;
	if (printable(text) === text) return `'${text.replaceAll("'", "'\\''")}'`;
	const escapedText = text
		.replace(/[\\']/g, '\\$&')
		.replace(unprintable, (run) =>
			[...run].map((character) => `\\U${hexOf(character.codePointAt(0) ?? 0, 8)}`).join(''),
		);
	return `$'${escapedText}'`;
}

/** A text from outside as it may go to a terminal: one line, each run of control characters one space. */
export function printable(text: string): string {
	return text.replace(unprintable, ' ');
}
