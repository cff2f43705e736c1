/** Quotes foreign text in a summary. */

import { findGraphemeBoundary, findWordEnd } from '../measure/text/boundaries.ts';

/** Maximum length of a name, task or failure on one line. UTF-16 units. */
const maxQuoteLength = 1000;

/** Names of the tags around a history in a prompt, which content must not close. */
const wrappers =
	/<(\/?)((?:conversation|transcript|summary|previous[-_]summary|condensed[-_]summary|system)\b)/gi;

/** Line breaks other than a newline. Python also splits lines at U+001C to U+001E. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these characters are what it looks for
const breaks = /\r\n?|[\v\f\x1c-\x1f\u0085\u2028\u2029]/g;
/** The text between two line breaks. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these characters are what ends a line
const linePattern = /[^\n\r\v\f\x1c-\x1f\u0085\u2028\u2029]+/g;
/** A heading or a label of the summary, after any bullets. */
const mark = /^(\s*(?:[-*+•>]\s*)*)(#{1,6}(?=\s|$)|\[#\d)/;

/**
 * Returns foreign text as lines of a section. Each is indented by one space, so that none is a heading or a label of
 * the summary and none closes a tag around it.
 */
export function quote(text: string): string {
	return filledLines(text).map(quotedLine).join('\n');
}

/** Like `quote`, but on one line, and truncated to a thousand UTF-16 units. */
export function quoteLine(text: string): string {
	const whole = text.trim();
	const line = filledLines(firstWords(whole, maxQuoteLength)).join(' ');
	return `${quotedLine(line).trimStart()}${whole.length > maxQuoteLength ? ' …' : ''}`;
}

/** Returns the lines of a text that are not blank, trimmed. */
function filledLines(text: string): string[] {
	return text
		.replace(breaks, '\n')
		.split('\n')
		.map((line) => line.trim())
		.filter((line) => line !== '');
}

/** Returns foreign text unchanged, except that headings, labels and closing tags in it are escaped. */
export function escapeForeignText(text: string): string {
	return isPlain(text) ? text : text.replace(linePattern, marked);
}

/** Whether a text contains no character that begins a heading, a label or a tag; most texts do not. */
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

/** Share of the allowed length that may be given up to end at a whole word. */
const wordBoundarySlack = 0.2;

/** Returns the first words of a text, at most `most` UTF-16 units. */
export function firstWords(text: string, most: number): string {
	if (text.length <= most) return text;
	return text.slice(
		0,
		findWordEnd(text, Math.floor(most * (1 - wordBoundarySlack)), most) ?? findGraphemeBoundary(text, most),
	);
}
