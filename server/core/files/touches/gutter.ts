/** The first and the last line number that a read shows. */
export interface ShownLines {
	from: number;
	to: number;
}

/** A read's text without the line numbers that the tool wrote before each line. */
export interface Ungutted extends Partial<ShownLines> {
	/** The file's own lines; the text as given where no line numbers were found. */
	text: string;
}

/** Line numbers before each line of a text, from one of its first lines on. */
interface Gutter extends ShownLines {
	first: number;
	style: RegExp;
}

/**
 * Number and separator: `   986→`, `12<tab>`, `12: `, `12:`, `12| `, `12 | `, `1. `. All are anchored and
 * bounded, so a line costs the same however long it is.
 */
const styles: readonly RegExp[] = [
	/^ {0,10}(\d{1,9})→/,
	/^ {0,10}(\d{1,9})\t/,
	/^ {0,10}(\d{1,9}) ?\| ?/,
	/^ {0,10}(\d{1,9}): ?/,
	/^ {0,10}(\d{1,9})\. /,
];

/** Lines that a tool may write before the first numbered one ("Here's the result of ...", a file name). */
const preambleLines = 4;

/**
 * The text without its gutter of line numbers, and without the tool's own lines around it, so that two
 * reads can be compared whatever tool made them. Only an unbroken count that runs to the end of the text
 * (or to a notice after it) is taken for a gutter. Linear in the text.
 */
export function stripGutter(text: string): Ungutted {
	const lines = text.split('\n');
	const gutter = gutterOf(lines);
	if (gutter === undefined) return { text };
	const { first, style, from, to } = gutter;
	const shown = lines.slice(first, first + to - from + 1).map((line) => line.replace(style, ''));
	// A file that ends in a line feed shows an empty last line in some tools and none in others.
	if (shown.length > 1 && shown.at(-1) === '') shown.pop();
	return { text: shown.join('\n'), from, to };
}

/** The line numbers that a read shows, as `stripGutter` finds them; undefined where there are none. */
export function shownLines(text: string): ShownLines | undefined {
	return gutterOf(text.split('\n'));
}

function gutterOf(lines: readonly string[]): Gutter | undefined {
	for (let first = 0; first < Math.min(preambleLines, lines.length); first++) {
		for (const style of styles) {
			const gutter = gutterAt(lines, first, style);
			if (gutter !== undefined) return gutter;
		}
	}
	return undefined;
}

function gutterAt(lines: readonly string[], first: number, style: RegExp): Gutter | undefined {
	const from = numberOf(lines[first], style);
	if (from === undefined) return undefined;
	let index = first + 1;
	while (numberOf(lines[index], style) === from + index - first) index++;
	if (index - first < 2 && !isStrong(lines[first] ?? '')) return undefined;
	if (index < lines.length && !isNotice(lines[index] ?? '')) return undefined;
	return { first, style, from, to: from + index - first - 1 };
}

function numberOf(line: string | undefined, style: RegExp): number | undefined {
	if (line === undefined) return undefined;
	const found = style.exec(line);
	return found === null ? undefined : Number(found[1]);
}

/** A single numbered line is a gutter only where hardly any file's own text looks like one. */
function isStrong(line: string): boolean {
	return /^ {0,10}\d{1,9}→/.test(line) || /^ {2,10}\d{1,9}\t/.test(line);
}

function isNotice(line: string): boolean {
	return line.trim() === '' || /^[<([]/.test(line);
}
