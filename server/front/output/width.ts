/** Width of text on a terminal. */

const zeroWidth = /^[\p{Mn}\p{Me}\p{Cf}]$/u;
const wide =
	/^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Emoji_Presentation}\u3000-\u303e\uff01-\uff60\uffe0-\uffe6]$/u;

function characterWidth(character: string): number {
	if (character < '\u0300') return 1;
	if (zeroWidth.test(character)) return 0;
	return wide.test(character) ? 2 : 1;
}

/** Columns of a text without control characters. */
export function displayWidth(text: string): number {
	let width = 0;
	for (const character of text) width += characterWidth(character);
	return width;
}

/** The text clipped to a number of columns, with an ellipsis at its end. */
export function clipText(text: string, columns: number): string {
	if (columns <= 0) return '';
	const kept = keepColumns(text, columns);
	return kept === text ? text : `${keepColumns(kept, columns - 1)}…`;
}

/** Like `clip`, but removes the beginning. */
export function clipStart(text: string, columns: number): string {
	if (columns <= 0) return '';
	if (displayWidth(text) <= columns) return text;
	const characters = [...text];
	let width = 1;
	let from = characters.length;
	while (from > 0 && width + characterWidth(characters[from - 1]!) <= columns) {
		from--;
		width += characterWidth(characters[from]!);
	}
	return `…${characters.slice(from).join('')}`;
}

function keepColumns(text: string, columns: number): string {
	let width = 0;
	let kept = '';
	for (const character of text) {
		width += characterWidth(character);
		if (width > columns) break;
		kept += character;
	}
	return kept;
}

/** The text padded with spaces on its right. */
export function padEnd(text: string, columns: number): string {
	return text + ' '.repeat(Math.max(0, columns - displayWidth(text)));
}

/** The text padded with spaces on its left. */
export function padStart(text: string, columns: number): string {
	return ' '.repeat(Math.max(0, columns - displayWidth(text))) + text;
}
