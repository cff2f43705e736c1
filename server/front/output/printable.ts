/** Characters that would move a cursor, ring a bell, change the text direction or start an escape sequence. */
const unprintablePattern = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]+/gu;

/** Characters that move a cursor, hide text or change its direction, and that JSON texts may contain unescaped. */
const hiddenInJsonPattern = /[\u007f-\u009f\p{Cf}\p{Zl}\p{Zp}]/gu;

/** Escapes JSON text for a terminal: characters that would move a cursor or hide text. The JSON value stays the same. */
export function escapeForTerminal(json: string): string {
	return json.replace(hiddenInJsonPattern, (character) =>
		Array.from({ length: character.length }, (_, index) => escapeUnit(character.charCodeAt(index))).join(''),
	);
}

function escapeUnit(unit: number): string {
	return `\\u${formatHex(unit, 4)}`;
}

function formatHex(value: number, digits: number): string {
	return value.toString(16).padStart(digits, '0');
}

/**
 * Quotes a text as one word of a shell's command line that is safe to show on a terminal.
 * Characters that would move a cursor or hide text are escaped for bash, zsh and ksh.
 */
export function quotePrintableWord(text: string): string {
	if (makePrintable(text) === text) return quoteShellWord(text);
	const escapedText = text
		.replace(/[\\']/g, '\\$&')
		.replace(unprintablePattern, (run) =>
			[...run].map((character) => `\\U${formatHex(character.codePointAt(0) ?? 0, 8)}`).join(''),
		);
	return `$'${escapedText}'`;
}

/** Makes external text safe for a terminal: one line, with each run of control characters as one space. */
export function makePrintable(text: string): string {
	return text.replace(unprintablePattern, ' ');
}

/** Quotes a text as one word of a shell's command line. */
export function quoteShellWord(text: string): string {
	return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
