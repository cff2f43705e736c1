/** Recognizes numbers at the start of lines: line numbers of a read tool, or a column of data. */

import { findGutter } from '../../files/touches/gutter.ts';

/** What OpenCode's search writes before the line number of a match: `  Line 12: const a = 1;`. */
const matchMark = 'Line ';

/**
 * Returns the index after a tool's line number at `index` (`   986→`, `12<tab>`, `7| `, `Line 12: `), or `index` if the
 * line has no number. UTF-16 units. Judges a single line; `files/touches` decides whether a whole result is numbered.
 */
export function skipLineNumber(text: string, index: number): number {
	let end = index;
	while (text.charCodeAt(end) === 32) end++;
	const isMatch = text.startsWith(matchMark, end);
	if (isMatch) end += matchMark.length;
	const digits = end;
	while (isDigit(text.charCodeAt(end)) && end - digits < 9) end++;
	if (end === digits) return index;
	const mark = text.charCodeAt(end);
	if (isMatch) return mark === 58 && text.charCodeAt(end + 1) === 32 ? end + 2 : index;
	if (mark === 0x2192 || mark === 9) return end + 1;
	return mark === 124 && text.charCodeAt(end + 1) === 32 ? end + 2 : index;
}

function isDigit(code: number): boolean {
	return code >= 48 && code <= 57;
}

/** Returns the lines of a text without a read tool's line numbers. */
export function removeLineNumbers(text: string): string {
	return text
		.split('\n')
		.map((line) => line.slice(skipLineNumber(line, 0)))
		.join('\n');
}

/** Numbers count as line numbers if at least `minCountingShare` of the first `max` numbers increase by one. */
const lineNumberLimits = { max: 60, minCountingShare: 0.5 } as const;

/** A line number as `skipLineNumber` reads it. */
const lineNumberPattern = /^ *(\d{1,9})(?:→|\t)/gm;

/** A number and a tab, which may also be a read tool's line number. */
const numberColumnPattern = /^ *(\d{1,9})\t/gm;

/** Whether the numbers at the start of lines are line numbers, because most of them increase by one. */
function areLineNumbers(numbers: readonly number[]): boolean {
	const [first, ...others] = numbers;
	if (others.length === 0) return first === 1;
	const steps = others.filter((number, index) => number === (numbers[index] ?? 0) + 1);
	return steps.length >= lineNumberLimits.minCountingShare * others.length;
}

/** A number and a stop before an indented or empty line. Items of a numbered list are neither. */
const numberedCodePattern = /^ {0,10}\d{1,9}\. (?:\s|$)/m;

/** SWE-agent's mark of lines that a view of a long file leaves out, and the line numbers of such a view. */
const elisionMark = '... eliding lines ';
const elidedViewPattern = /^( {0,5}\d{1,6}) /gm;

/**
 * Returns a result whose line numbers, such as `12: ` or `12. `, are followed by a tab, as `skipLineNumber` reads them.
 * Returns any other text unchanged. Linear.
 */
export function unifyLineNumbers(text: string): string {
	if (text.includes(elisionMark)) return text.replace(elidedViewPattern, '$1\t');
	const lines = text.split('\n');
	const gutter = findGutter(lines);
	if (gutter === undefined) return text;
	const { first, style, from, to } = gutter;
	const start = lines[first] ?? '';
	const isList = /^ {0,10}\d{1,9}\./.test(start) && !numberedCodePattern.test(text);
	if (isList || skipLineNumber(start, 0) > 0) return text;
	for (let index = first; index <= first + to - from; index++)
		lines[index] = lines[index]!.replace(style, '$1\t');
	return lines.join('\n');
}

/** Returns the number of lines in a text whose lines have the numbers from 1 on, without a gap; otherwise 0. */
export function countNumberedLines(text: string): number {
	let count = 0;
	for (const [, number] of text.matchAll(lineNumberPattern)) if (Number(number) !== ++count) return 0;
	return count;
}

/** Replaces the tab after a first column of numbers by spaces, so that the column is not removed as line numbers. */
export function protectNumberColumn(text: string): string {
	if (!text.includes('\t')) return text;
	const numbers: number[] = [];
	for (const [, number] of text.matchAll(numberColumnPattern))
		if (numbers.push(Number(number)) === lineNumberLimits.max) break;
	return numbers.length === 0 || areLineNumbers(numbers) ? text : text.replace(numberColumnPattern, '$1  ');
}
