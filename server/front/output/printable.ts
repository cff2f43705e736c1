/** Characters that would move a cursor, ring a bell, change the text direction or start an escape sequence. */
const unprintable = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]+/gu;

/** Such characters, except those that JSON itself escapes or that separate its lines. */
const hiddenInJson = /[\u007f-\u009f\p{Cf}\p{Zl}\p{Zp}]/gu;

/**
 * Escapes JSON text for a terminal: characters that would move a cursor or hide text. Its value stays the same.
 */
export function printableJson(json: string): string {
	return json.replace(hiddenInJson, (character) =>
		Array.from({ length: character.length }, (_, index) => escapeUnit(character.charCodeAt(index))).join(''),
	);
}

function escapeUnit(unit: number): string {
	return `\\u${hexOf(unit, 4)}`;
}

function hexOf(value: number, digits: number): string {
	return value.toString(16).padStart(digits, '0');
}

/**
 * Quotes a text as one word of a shell's command line that is safe to show on a terminal.
 * Characters that would move a cursor or hide text are escaped for bash, zsh and ksh.
 */
export function printableShellWord(text: string): string {
	if (/^[\w@%+=:,./-]+$/.test(text)) return text;
	if (printableText(text) === text) return `'${text.replaceAll("'", "'\\''")}'`;
	const escapedText = text
		.replace(/[\\']/g, '\\$&')
		.replace(unprintable, (run) =>
			[...run].map((character) => `\\U${hexOf(character.codePointAt(0) ?? 0, 8)}`).join(''),
		);
	return `$'${escapedText}'`;
}

/** Makes external text safe for a terminal: one line, with each run of control characters as one space. */
export function printableText(text: string): string {
	return text.replace(unprintable, ' ');
}

/** Quotes a text as one word of a shell's command line. */
export function shellWord(text: string): string {
	return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
