import { firstWords } from './cutWords.ts';

/** UTF-16 units of a name, task or failure in one line. */
const maxQuoteLength = 1000;

/** Names of the wrappers in which a history is handed to a model: content must not close them. */
const wrappers =
	/<(\/?)((?:conversation|transcript|summary|previous[-_]summary|condensed[-_]summary|system)\b)/gi;

/** What ends a line for some reader besides the newline; Python splits lines at U+001C to U+001E, too. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these characters are what it looks for
const breaks = /\r\n?|[\v\f\x1c-\x1f\u0085\u2028\u2029]/g;
/** What stands between two of them. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these characters are what ends a line
const linePattern = /[^\n\r\v\f\x1c-\x1f\u0085\u2028\u2029]+/g;
/** A heading or a label of the summary, behind any bullets. */
const mark = /^(\s*(?:[-*+•>]\s*)*)(#{1,6}(?=\s|$)|\[#\d)/;

/**
 * Foreign text as lines of a section: each line set in by one space, so that none of them is a heading or
 * a label of the summary, and no wrapper around it can be closed.
 */
export function quote(text: string): string {
	return linesOf(text).map(quotedLine).join('\n');
}

/** As `quote`, on one line, and what is beyond a thousand UTF-16 units left out. */
export function quoteLine(text: string): string {
	const whole = text.trim();
	const line = linesOf(firstWords(whole, maxQuoteLength)).join(' ');
	return `${quotedLine(line).trimStart()}${whole.length > maxQuoteLength ? ' …' : ''}`;
}

/** The lines that show something, without the white space around them. */
function linesOf(text: string): string[] {
	return text
		.replace(breaks, '\n')
		.split('\n')
		.map((line) => line.trim())
		.filter((line) => line !== '');
}

/** Foreign words on their own lines, letter by letter but for what would be a heading, a label or the end of a wrapper. */
export function harmless(text: string): string {
	return isPlain(text) ? text : text.replace(linePattern, marked);
}

/** Whether a text has none of the signs that headings, labels and wrappers begin with, as most have not. */
function isPlain(text: string): boolean {
	return !text.includes('#') && !text.includes('<');
}

function quotedLine(line: string): string {
	return ` ${marked(line)}`;
}

function marked(line: string): string {
	if (isPlain(line)) return line;
	return line.replace(mark, '$1\\$2').replace(wrappers, '<$1\\$2');
}
