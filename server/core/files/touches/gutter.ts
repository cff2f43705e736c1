/** A read's text without the line numbers that the tool wrote before each line. */
export interface Ungutted {
	/** The file's own lines; the text as given where no line numbers were found. */
	text: string;
	/** The first and the last line number shown; absent where no line numbers were found. */
	from?: number;
	to?: number;
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
	for (let first = 0; first < Math.min(preambleLines, lines.length); first++) {
		for (const style of styles) {
			const block = blockAt(lines, first, style);
			if (block !== undefined) return block;
		}
	}
	return { text };
}

function blockAt(lines: readonly string[], first: number, style: RegExp): Ungutted | undefined {
	const from = numberOf(lines[first], style);
	if (from === undefined) return undefined;
	const shown: string[] = [];
	let index = first;
	while (numberOf(lines[index], style) === from + shown.length) {
		shown.push((lines[index] ?? '').replace(style, ''));
		index++;
	}
	if (shown.length < 2 && !isStrong(lines[first] ?? '')) return undefined;
	if (index < lines.length && !isNotice(lines[index] ?? '')) return undefined;
	const to = from + shown.length - 1;
	// A file that ends in a line feed shows an empty last line in some tools and none in others.
	if (shown.length > 1 && shown.at(-1) === '') shown.pop();
	return { text: shown.join('\n'), from, to };
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
