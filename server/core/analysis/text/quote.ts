/** Quotes foreign text in a summary. */

import { tuning } from '../../compact/tuning.ts';
import { findGraphemeBoundary, findWordEnd } from '../../measure/text/boundaries.ts';
import { maskSecrets } from './secrets.ts';

/** Maximum length of a name, task or failure on one line. UTF-16 units. */
const maxQuoteLength = 1000;

/** Tags around a history in a prompt. Content must not open or close them. */
const wrapperTagPattern =
	/<(\/?)((?:conversation|transcript|summary|previous[-_]summary|condensed[-_]summary|system)\b)/gi;

/** Line breaks other than a newline. Python also splits lines at U+001C to U+001E. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these characters are what it looks for
const lineBreakPattern = /\r\n?|[\v\f\x1c-\x1f\u0085\u2028\u2029]/g;
/** The text between two line breaks. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these characters are what ends a line
const linePattern = /[^\n\r\v\f\x1c-\x1f\u0085\u2028\u2029]+/g;
/** A heading or a label of the summary, after any bullets. */
const headingOrLabelPattern = /^(\s*(?:[-*+•>]\s*)*)(#{1,6}(?=\s|$)|\[#\d)/;

/**
 * Quotes foreign text as lines of a section. Indents and escapes each line, so that no line is a heading or label of the
 * summary or closes a tag around it.
 */
export function quote(text: string): string {
	return splitNonBlankLines(text).map(indentLine).join('\n');
}

/** Quotes foreign text like `quote`, but on one line of at most a thousand UTF-16 units. */
export function quoteLine(text: string): string {
	return indentLine(splitNonBlankLines(truncateWithMark(text.trim(), maxQuoteLength)).join(' ')).trimStart();
}

/** Returns the lines of a text that are not blank, trimmed. */
function splitNonBlankLines(text: string): string[] {
	return text
		.replace(lineBreakPattern, '\n')
		.split('\n')
		.map((line) => line.trim())
		.filter((line) => line !== '');
}

/** Returns foreign text unchanged, except that headings, labels and closing tags in it are escaped. */
export function escapeForeignText(text: string): string {
	return isPlain(text) ? text : text.replace(linePattern, escapeLine);
}

/** Whether a text contains no character that begins a heading, a label or a tag; most texts do not. */
function isPlain(text: string): boolean {
	return !text.includes('#') && !text.includes('<');
}

function indentLine(line: string): string {
	return ` ${escapeLine(line)}`;
}

function escapeLine(line: string): string {
	if (isPlain(line)) return line;
	return line.replace(headingOrLabelPattern, '$1\\$2').replace(wrapperTagPattern, '<$1\\$2');
}

/** Maximum share of the allowed length that stays unused so that the text ends at a whole word. */
const wordBoundarySlack = 0.2;

/** Returns a text that must be truncated with its keys shortened, because the beginning of a key is not recognized. */
function maskLongText(text: string, maxLength: number): string {
	return text.length <= maxLength ? text : maskSecrets(text);
}

/** Returns the first words of a longer text without keys, without a separator at the end. */
function cutAtWord(text: string, maxLength: number): string {
	const end =
		findWordEnd(text, Math.floor(maxLength * (1 - wordBoundarySlack)), maxLength) ??
		findGraphemeBoundary(text, maxLength);
	return text.slice(0, end).replace(/ \|{1,2}$/, '');
}

/** Returns the first words of a text, at most `maxLength` UTF-16 units, without a separator at the end. */
export function truncateAtWord(text: string, maxLength: number): string {
	const safeText = maskLongText(text, maxLength);
	return safeText.length <= maxLength ? safeText : cutAtWord(safeText, maxLength);
}

/** Returns a text of at most `maxLength` UTF-16 units unchanged, and of a longer one the first words with `…`. */
export function truncateWithEllipsis(text: string, maxLength: number): string {
	const safeText = maskLongText(text, maxLength);
	return safeText.length <= maxLength ? safeText : `${cutAtWord(safeText, maxLength)}…`;
}

/** Returns a text of at most `maxLength` UTF-16 units unchanged, and of a longer one the first words with ` …`. */
export function truncateWithMark(text: string, maxLength: number): string {
	const safeText = maskLongText(text, maxLength);
	return safeText.length <= maxLength ? safeText : `${cutAtWord(safeText, maxLength).trimEnd()} …`;
}

/** Returns a line that states an outcome, of at most `tuning.lengths.maxLine` UTF-16 units. */
export function truncateLine(line: string): string {
	return truncateWithEllipsis(line, tuning.lengths.maxLine);
}
