/** The first and last line number that a read shows. */
export interface ShownLines {
	from: number;
	to: number;
}

/** A read's text without the line numbers that the tool added. */
export interface StrippedText extends Partial<ShownLines> {
	/** The file's own lines; the unchanged text if no line numbers were found. */
	text: string;
}

/** Line numbers at the start of each line of a text, from the line with index `first` on. */
interface Gutter extends ShownLines {
	first: number;
	style: RegExp;
}

/**
 * Forms of a line number with its separator: ` 986→`, `12<tab>`, `12: `, `12:`, `12| `, `12 | `, `1. `. All patterns are
 * anchored and bounded, so their cost does not depend on the length of a line.
 */
const gutterStyles: readonly RegExp[] = [
	/^ {0,10}(\d{1,9})→/,
	/^ {0,10}(\d{1,9})\t/,
	/^ {0,10}(\d{1,9}) ?\| ?/,
	/^ {0,10}(\d{1,9}): ?/,
	/^ {0,10}(\d{1,9})\. /,
];

/** Maximum lines that a tool writes before the first numbered line ("Here's the result of ...", a file name). */
const maxPreambleLines = 4;

/**
 * Removes line numbers and the tool's own lines around them, so that reads by different tools can be compared.
 * Line numbers must be consecutive up to the end of the text or to a notice of the tool. Linear in the text.
 */
export function stripGutter(text: string): StrippedText {
	const lines = text.split('\n');
	const gutter = findGutter(lines);
	if (gutter === undefined) return { text };
	const { first, style, from, to } = gutter;
	const shownLines = lines.slice(first, first + to - from + 1).map((line) => line.replace(style, ''));
	// If a file ends in a line feed, some tools show an empty last line and others do not.
	if (shownLines.length > 1 && shownLines.at(-1) === '') shownLines.pop();
	return { text: shownLines.join('\n'), from, to };
}

/** Returns the line numbers that a read shows, as `stripGutter` finds them; undefined if none. */
export function findGutter(lines: readonly string[]): Gutter | undefined {
	for (let first = 0; first < Math.min(maxPreambleLines, lines.length); first++) {
		for (const style of gutterStyles) {
			const gutter = readGutterAt(lines, first, style);
			if (gutter !== undefined) return gutter;
		}
	}
	return undefined;
}

function readGutterAt(lines: readonly string[], first: number, style: RegExp): Gutter | undefined {
	const from = readLineNumber(lines[first], style);
	if (from === undefined) return undefined;
	let index = first + 1;
	while (readLineNumber(lines[index], style) === from + index - first) index++;
	if (index - first < 2 && !isCertainLineNumber(lines[first] ?? '')) return undefined;
	if (index < lines.length && !isToolNotice(lines[index] ?? '')) return undefined;
	return { first, style, from, to: from + index - first - 1 };
}

function readLineNumber(line: string | undefined, style: RegExp): number | undefined {
	if (line === undefined) return undefined;
	const match = style.exec(line);
	return match === null ? undefined : Number(match[1]);
}

/** Whether this line alone proves that lines are numbered, because almost no file contains text like it. */
function isCertainLineNumber(line: string): boolean {
	return /^ {0,10}\d{1,9}→/.test(line) || /^ {2,10}\d{1,9}\t/.test(line);
}

function isToolNotice(line: string): boolean {
	return line.trim() === '' || /^[<([]/.test(line);
}
