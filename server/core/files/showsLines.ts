import { stripGutter } from './touches/gutter.ts';

/** Lines of a file as they are now. */
export interface LinesNow {
	content: string;
	/** The number of the first of them, from 1. */
	firstLine: number;
	/** The file ends with them. */
	toEnd: boolean;
}

/**
 * Whether a message's text shows just these lines in their places, and no line after the end of the file.
 * `shownFrom` is the number of the text's first line, where the text does not number its lines itself.
 */
export function showsLines(text: string, shownFrom: number, now: LinesNow): boolean {
	const gutter = stripGutter(text);
	const shown = linesOf(gutter.text);
	const wanted = linesOf(now.content);
	const start = now.firstLine - (gutter.from ?? shownFrom);
	if (start < 0 || start + wanted.length > shown.length) return false;
	if (now.toEnd && start + wanted.length !== shown.length) return false;
	return wanted.every((line, index) => line === shown[start + index]);
}

/** Whether a message's text holds a content word for word, with line numbers before its lines or without. */
export function holdsContent(text: string, content: string): boolean {
	if (content === '') return false;
	return text.includes(content) || stripGutter(text).text.includes(content.replace(/\n$/, ''));
}

/** The lines of a text; a line end at its end starts no further line. */
function linesOf(text: string): string[] {
	const lines = text.split('\n');
	if (lines.at(-1) === '') lines.pop();
	return lines;
}
