/** Renders the JSON that users paste into their messages as rows. */

import { type ReadableResult, renderJson } from './json.ts';
import type { DataRow } from './source.ts';

/** The first line of a JSON value of several lines, alone or after words: `The server answers: {`. */
const openingPattern = /^(?:\S.{0,200}:[^\S\n]+)?([[{])[^\S\n]*$/;

/** A line of the user's own words: not the mark of a block of code. */
const wordsPattern = /^(?![^\S\n]{0,9}```).*\p{L}/mu;

/**
 * Returns a typed message with rows in place of the JSON values in it, as `renderJson` renders them. A value begins at the
 * end of a line without indentation and ends at the next line that begins with its bracket. A message of JSON alone, which
 * may be the request, stays as it is. O(text).
 */
export function renderPastedJson(text: string): ReadableResult {
	const lines = text.split(/\r?\n/);
	const texts: string[] = [];
	const ownTexts: string[] = [];
	const allRows: DataRow[] = [];
	const addOwnText = (own: string): void => {
		texts.push(own);
		ownTexts.push(own);
	};
	let end = 0;
	for (const { start, last } of findValues(lines)) {
		const [opening, closing] = [lines[start]!.trimEnd(), lines[last]!];
		const value = [opening.slice(-1), ...lines.slice(start + 1, last), closing[0]].join('\n');
		const { rows } = renderJson(value);
		if (rows === undefined) continue;
		addOwnText([...lines.slice(end, start), opening.slice(0, -1)].join('\n').trimEnd());
		for (const row of rows) {
			texts.push(row.lines.join('\n'));
			allRows.push(row);
		}
		addOwnText(closing.slice(1).replace(/^[.,;]\s*/, ''));
		end = last + 1;
	}
	addOwnText(lines.slice(end).join('\n'));
	if (allRows.length === 0 || !ownTexts.some((own) => wordsPattern.test(own))) return { text };
	return { text: texts.filter((each) => each.trim() !== '').join('\n'), rows: allRows };
}

/** Returns the first and the last line of each text that may be a JSON value, by their indexes. */
function findValues(lines: readonly string[]): { start: number; last: number }[] {
	const values: { start: number; last: number }[] = [];
	/** The line that begins a value, with the bracket that ends it. */
	let open: { start: number; closing: string } | undefined;
	for (const [index, line] of lines.entries()) {
		if (open && line.startsWith(open.closing)) {
			values.push({ start: open.start, last: index });
			open = undefined;
			continue;
		}
		const bracket = openingPattern.exec(line)?.[1];
		// Inside of a value, no line without indentation ends with an opening bracket: the one before begins no value.
		if (bracket !== undefined) open = { start: index, closing: bracket === '{' ? '}' : ']' };
	}
	return values;
}
