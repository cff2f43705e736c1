import { stripGutter } from './touches/gutter.ts';

/** Lines of a file as they are on disk now. */
export interface PresentLines {
	content: string;
	/** Number of the first line, from 1. */
	firstLine: number;
	/** Whether the file ends with these lines. */
	reachesEnd: boolean;
}

/**
 * Whether a message's text shows exactly these lines at their positions, and no line after the end of the file.
 * `shownFrom` is the number of the text's first line if the text contains no line numbers.
 */
export function showsLines(text: string, shownFrom: number, present: PresentLines): boolean {
	const gutter = stripGutter(text);
	const shownLines = splitLines(gutter.text);
	const presentLines = splitLines(present.content);
	const start = present.firstLine - (gutter.from ?? shownFrom);
	if (start < 0 || start + presentLines.length > shownLines.length) return false;
	if (present.reachesEnd && start + presentLines.length !== shownLines.length) return false;
	return presentLines.every((line, index) => line === shownLines[start + index]);
}

/** Whether a message's text contains the content of a file verbatim, with or without line numbers. */
export function showsContent(text: string, content: string): boolean {
	if (content === '') return false;
	return text.includes(content) || stripGutter(text).text.includes(content.replace(/\n$/, ''));
}

/** Splits a text into lines. A line end at the end of the text starts no further line. */
function splitLines(text: string): string[] {
	const lines = text.split('\n');
	if (lines.at(-1) === '') lines.pop();
	return lines;
}
