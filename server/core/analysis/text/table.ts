/** Finds tables and records in the output of commands. */

import { cleanLine, listingPattern } from './clean.ts';

const minTableRows = 3;
const minColumns = 3;
/** Longer rows are compared by their prefix of this length. UTF-16 units. */
const maxComparedLength = 400;
const cellSeparator = /[|│\t]| {2,}/;
/** A row that sums up the other rows. */
const totalPattern = /\b(?:total|sum|all|overall|gesamt|summe)\b|合計|合计|总计/i;
/** A line of a log: it begins with a time or a level. */
const logPattern =
	/^\W{0,3}(?:\d{4}[-/]\d\d[-/]\d\d|\d{1,2}:\d\d|[A-Z][a-z]{2} +\d{1,2} \d\d:\d\d|(?:TRACE|DEBUG|INFO|NOTICE|WARN(?:ING)?|ERROR|FATAL)\b)/i;
const borderPattern = /^[\s─━═│┃┌┐└┘├┤┬┴┼╞╪╡╌|+=-]*$/;

/** A list item with a name and a value: `- Score: 83`. */
const namedItemPattern = /^\s{0,9}[-*•] ([^:\n]{1,40}): /;

/**
 * Whether an output ends with a row of a table or with a record, so that its last line says nothing about the others.
 * @param lines the lines of the text that a program printed
 */
export function endsWithRows(text: string, lines: readonly string[]): boolean {
	return endsWithTable(text) || endsWithRecord(lines);
}

/** The line with which psql, mysql and mariadb end the rows of a query: `(8 rows)`, `1 row in set (0.01 sec)`. */
const rowCountPattern = /^(?:\((\d{1,9}) rows?\)|(\d{1,9}) rows? in set\b[^\n]{0,40})$/;
/** Length of an output's end that may be this line. UTF-16 units. */
const maxRowCountLength = 80;

/** Returns the number of rows that an output of a query says that it has; undefined for other outputs. */
export function readRowCount(text: string): number | undefined {
	const end = text.slice(-maxRowCountLength).trimEnd();
	const [, count, otherCount] = rowCountPattern.exec(end.slice(end.lastIndexOf('\n') + 1)) ?? [];
	return count === undefined && otherCount === undefined ? undefined : Number(count ?? otherCount);
}

/** Returns the row of a query that found only one; undefined for other outputs. */
export function findOnlyRow(lines: readonly string[]): string | undefined {
	if (readRowCount(lines.at(-1) ?? '') !== 1) return undefined;
	return lines.slice(0, -1).findLast((line) => !borderPattern.test(line));
}

/** Whether the last line with these words is indented below a label, so that it is a value: `Settings file:`, `  Not found`. */
export function isBelowLabel(text: string, words: string): boolean {
	const lines = text.split('\n').map((line) => line.trimEnd());
	const index = lines.findLastIndex((line) => line.trimStart() === words);
	const indentation = lines[index]?.search(/\S/) ?? 0;
	const label = lines.slice(0, Math.max(0, index)).findLast((line) => line.search(/\S/) < indentation);
	return label?.endsWith(':') === true;
}

/** Whether a text ends with at least three rows of a table, the last of which is not a row of totals. */
function endsWithTable(text: string): boolean {
	const rows: string[] = [];
	const lines = text.split('\n');
	for (let index = lines.length - 1; index >= 0 && rows.length < minTableRows; index--) {
		const line = (lines[index] ?? '').slice(0, maxComparedLength).trimEnd();
		if (borderPattern.test(line) || (cleanLine(line) === '' && !listingPattern.test(line))) continue;
		rows.push(line);
	}
	if (rows.length < minTableRows || totalPattern.test(rows[0] ?? '')) return false;
	if (rows.some((row) => logPattern.test(row))) return false;
	return (
		rows.every((row) => listingPattern.test(row)) ||
		haveSameCells(rows) ||
		countAlignedColumns(rows) + 1 >= minColumns
	);
}

/** Whether the last line is a list item whose name another item has, too. */
function endsWithRecord(lines: readonly string[]): boolean {
	const names = lines.map((line) => namedItemPattern.exec(line)?.[1]);
	const last = names.at(-1);
	return last !== undefined && names.indexOf(last) !== names.lastIndexOf(last);
}

function haveSameCells(rows: readonly string[]): boolean {
	const counts = rows.map((row) => row.split(cellSeparator).filter((cell) => cell.trim() !== '').length);
	return counts.every((count) => count >= minColumns && count === counts[0]);
}

/**
 * Returns the number of columns that begin at the same position in all rows, after a gap that is padded in at least one row.
 * A column counts only if every row has text in it, because a sentence next to a table has spaces at many positions.
 */
function countAlignedColumns(rows: readonly string[]): number {
	const end = Math.min(...rows.map((row) => row.length));
	let columnCount = 0;
	let start = Math.max(...rows.map((row) => row.search(/\S/)));
	let isAfterPadding = false;
	for (let position = start; position <= end; position++) {
		const isGap = position < end && rows.every((row) => row[position] === ' ');
		if (position < end && !isGap) continue;
		const cells = rows.map((row) => row.slice(start, position < end ? position : undefined).trim());
		// A bar after a name separates the name from a line of its log.
		if (isAfterPadding && cells.every((cell) => cell !== '' && cell !== '|')) columnCount++;
		isAfterPadding = rows.some((row) => row[position - 1] === ' ' || row[position + 1] === ' ');
		start = position + 1;
	}
	return columnCount;
}
