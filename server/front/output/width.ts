/** Width of text on a terminal. */

const zeroWidthPattern = /^[\p{Mn}\p{Me}\p{Cf}]$/u;
const wideCharacterPattern =
	/^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Emoji_Presentation}\u3000-\u303e\uff01-\uff60\uffe0-\uffe6]$/u;

function measureCharacter(character: string): number {
	if (character < '\u0300') return 1;
	if (zeroWidthPattern.test(character)) return 0;
	return wideCharacterPattern.test(character) ? 2 : 1;
}

/** Returns the columns of a text without control characters. */
export function measureWidth(text: string): number {
	let width = 0;
	for (const character of text) width += measureCharacter(character);
	return width;
}

/** Clips a text to a number of columns, with an ellipsis at its end. */
export function clipText(text: string, columns: number): string {
	if (columns <= 0) return '';
	const fitting = takeColumns(text, columns);
	return fitting === text ? text : `${takeColumns(fitting, columns - 1)}…`;
}

/** Like `clipText`, but removes the start of the text. */
export function clipStart(text: string, columns: number): string {
	if (columns <= 0) return '';
	if (measureWidth(text) <= columns) return text;
	const characters = [...text];
	let width = 1;
	let from = characters.length;
	while (from > 0 && width + measureCharacter(characters[from - 1]!) <= columns) {
		from--;
		width += measureCharacter(characters[from]!);
	}
	return `…${characters.slice(from).join('')}`;
}

function takeColumns(text: string, columns: number): string {
	let width = 0;
	let fitting = '';
	for (const character of text) {
		width += measureCharacter(character);
		if (width > columns) break;
		fitting += character;
	}
	return fitting;
}

/** Pads a text with spaces on its right. */
export function padEnd(text: string, columns: number): string {
	return text + ' '.repeat(Math.max(0, columns - measureWidth(text)));
}

/** Pads a text with spaces on its left. */
export function padStart(text: string, columns: number): string {
	return ' '.repeat(Math.max(0, columns - measureWidth(text))) + text;
}
