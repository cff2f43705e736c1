/** Records in a section of a JSON Lines file. */
export interface LineRecords {
	records: unknown[];
	/** Number of lines, or parts of lines, that are not JSON. */
	badLineCount: number;
}

import { tryParseJson } from '../../shape.ts';

/**
 * Returns the records of a whole file: its one JSON document, or its lines. Tolerates a byte order
 * mark, empty lines, carriage returns, two values on one line and a torn last line. Linear in the text.
 */
export function parseRecords(text: string): LineRecords {
	const document = tryParseJson(text.replace(/^\uFEFF/, ''));
	if (document !== undefined) return { records: [document.value], badLineCount: 0 };
	const result: LineRecords = { records: [], badLineCount: 0 };
	const lines = text.split('\n');
	const lastLine = lines.pop() ?? '';
	for (const line of lines) addLineRecords(line, result);
	// A torn last line is not counted as bad, because it may still be completed.
	const { records } = addLineRecords(lastLine, { records: [], badLineCount: 0 });
	for (const record of records) result.records.push(record);
	return result;
}

/** Matches a byte order mark, and the zero bytes that a crash leaves in place of lost data. */
const ignoredPrefixPattern = /^[\uFEFF\0]+/;

/** Returns the value of a complete line: an object or a list. Anything else may be incomplete. */
export function parseCompleteValue(line: string): { value: unknown } | undefined {
	const text = line.replace(ignoredPrefixPattern, '').trim();
	return /[}\]]$/.test(text) ? tryParseJson(text) : undefined;
}

/** Returns the complete values at the start of a half-written line, and their length in UTF-16 units. */
export function parseCompleteValues(line: string): { values: unknown[]; length: number } {
	const values: unknown[] = [];
	let length = 0;
	let end = 0;
	for (const text of splitObjects(line)) {
		end += text.length;
		const parsed = parseCompleteValue(text);
		if (parsed === undefined) break;
		values.push(parsed.value);
		length = end;
	}
	return { values, length };
}

/** Adds the records of a line without its line feed; none for an empty line. */
export function addLineRecords(line: string, result: LineRecords): LineRecords {
	const text = line.replace(ignoredPrefixPattern, '');
	if (/^\s*$/.test(text)) return result;
	const parsed = tryParseJson(text);
	if (parsed !== undefined) {
		result.records.push(parsed.value);
		return result;
	}
	for (const objectText of splitObjects(text)) {
		const value = tryParseJson(objectText);
		if (value === undefined) result.badLineCount++;
		else result.records.push(value.value);
	}
	return result;
}

const [quote, backslash, openBrace, closeBrace, openBracket, closeBracket] = [
	0x22, 0x5c, 0x7b, 0x7d, 0x5b, 0x5d,
];

/** Splits a line after each outermost object. Text between or after objects becomes a text of its own. */
function splitObjects(text: string): string[] {
	const texts: string[] = [];
	let depth = 0;
	let start = 0;
	let isQuoted = false;
	for (let index = 0; index < text.length; index++) {
		const unit = text.charCodeAt(index);
		if (isQuoted) {
			if (unit === backslash) index++;
			else if (unit === quote) isQuoted = false;
		} else if (unit === quote) isQuoted = true;
		else if (unit === openBrace || unit === openBracket) depth++;
		else if ((unit === closeBrace || unit === closeBracket) && --depth <= 0) {
			texts.push(text.slice(start, index + 1));
			start = index + 1;
			depth = 0;
		}
	}
	const rest = text.slice(start);
	if (rest.trim() !== '') texts.push(rest);
	return texts;
}
