/** Lines of a report as values, until the last step converts them to text for a terminal. */

import { clipText, measureWidth } from './width.ts';

export type Tone =
	| 'plain'
	| 'bold'
	| 'gray'
	| 'red'
	| 'green'
	| 'yellow'
	| 'blue'
	| 'magenta'
	| 'cyan'
	| 'white'
	| 'brightBlue'
	| 'brightMagenta'
	| 'brightCyan';

/** A part of a line with one tone. */
export interface Span {
	text: string;
	tone: Tone;
}

export type Line = readonly Span[];

/** SGR parameters of each tone. */
const sgrCodes: Readonly<Record<Tone, number>> = {
	plain: 0,
	bold: 1,
	red: 31,
	green: 32,
	yellow: 33,
	blue: 34,
	magenta: 35,
	cyan: 36,
	white: 37,
	gray: 90,
	brightBlue: 94,
	brightMagenta: 95,
	brightCyan: 96,
};

export function span(text: string, tone: Tone = 'plain'): Span {
	return { text, tone };
}

export function clipLine(line: Line, columns: number): Line {
	const clipped: Span[] = [];
	let columnsLeft = columns;
	for (const { text, tone } of line) {
		const fitting = clipText(text, columnsLeft);
		clipped.push({ text: fitting, tone });
		if (fitting !== text) break;
		columnsLeft -= measureWidth(text);
	}
	return clipped;
}

/** Wraps a line between words to a number of columns; longer words are clipped. */
export function wrapLine(line: Line, columns: number): Line[] {
	return flowLine(line, columns).map((one) => clipLine(one, columns));
}

/**
 * Wraps a line between words. If the line begins with a sign such as `✓`, further lines align with the text after it.
 * Long words stay whole, and so do commands, which are cyan: the terminal wraps them, so that they can be copied.
 */
export function flowLine(line: Line, columns: number): Line[] {
	const indent = measureWidth(/^ *(?:[✓✗·+] )?/.exec(line.map(({ text }) => text).join(''))?.[0] ?? '');
	const lines: Span[][] = [[]];
	let columnsLeft = columns;
	for (const { text, tone } of line) {
		for (const word of tone === 'cyan' ? [text] : text.split(/(?<=[^ ])(?= )/)) {
			const isBroken = measureWidth(word) > columnsLeft && columnsLeft < columns - indent;
			if (isBroken) {
				lines.push(indent > 0 ? [span(' '.repeat(indent))] : []);
				columnsLeft = columns - indent;
			}
			const shownWord = isBroken ? word.trimStart() : word;
			appendText(lines.at(-1) ?? [], shownWord, tone);
			columnsLeft -= measureWidth(shownWord);
		}
	}
	return lines;
}

/** Adds a text to a line, as part of the last span if that has the same tone. */
function appendText(line: Span[], text: string, tone: Tone): void {
	const last = line.at(-1);
	if (last?.tone === tone) line[line.length - 1] = span(last.text + text, tone);
	else line.push(span(text, tone));
}

/** Whether a report is written with colours. */
export type Colouring = 'coloured' | 'plain';

function formatSpan({ text, tone }: Span, colouring: Colouring): string {
	if (colouring === 'plain' || tone === 'plain' || text === '') return text;
	return `\u001b[${sgrCodes[tone]}m${text}\u001b[0m`;
}

/** Returns the lines as text for a terminal, each with a line end. */
export function formatLines(lines: readonly Line[], colouring: Colouring): string {
	return lines
		.map((line) => line.map((one) => formatSpan(one, colouring)).join(''))
		.map((line) => `${line.trimEnd()}\n`)
		.join('');
}
