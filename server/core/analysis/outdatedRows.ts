/** Finds rows of JSON results that matter little: rows that a later result replaced, and rows that nobody mentioned. */

import type { ToolCall } from '../../protocol/conversation.ts';
import { getOrInsert } from '../getOrInsert.ts';
import { findShellCommand, isReadOnly } from './commands.ts';
import type { Outcomes } from './outcomes.ts';
import { type DataRow, type Source, splitArguments } from './source.ts';
import { isTyped } from './userStatements.ts';

/** Factor for the score of a JSON row whose id neither the user, the agent nor a call mentioned. */
export const unnamedRowShare = 0.1;
/** Minimum length of an id that is searched. Shorter ids appear in words by chance. UTF-16 units. */
const minNameLength = 3;
/** Minimum digits of a number at the end of an id that may be mentioned instead of the id. */
const minNumberLength = 4;
const idWordPattern = /[\p{L}\p{N}_]+(?:[.-][\p{L}\p{N}_]+)*/gu;

/** A row with the call that returned it. */
interface ReturnedRow {
	row: DataRow;
	call: ToolCall;
}

/**
 * Returns the lines of rows that a later row replaced. Two rows describe the same object if they have the same id
 * and share most columns, unless they come from two different queries. O(rows).
 */
export function findOutdatedRows(sources: readonly Source[], { byResult }: Outcomes): Set<string> {
	const newest = new Map<string, ReturnedRow[]>();
	const outdated = new Set<string>();
	for (const source of sources) {
		const { call, failed = true } = byResult.get(source) ?? {};
		if (!source.rows || !call || failed) continue;
		for (const row of source.rows) {
			if (row.id === undefined) continue;
			const known = getOrInsert(newest, [row.parent, row.idName, row.id].join(' '), () => []);
			const before = known.findLastIndex((one) => isSameObject(one, { row, call }));
			const [earlier] = before < 0 ? [] : known.splice(before, 1);
			for (const line of earlier?.row.lines ?? []) outdated.add(line);
			for (const line of row.lines) outdated.delete(line);
			known.push({ row, call });
		}
	}
	return outdated;
}

function isSameObject(earlier: ReturnedRow, later: ReturnedRow): boolean {
	const isOtherQuery =
		isQuery(earlier.call) &&
		isQuery(later.call) &&
		JSON.stringify(earlier.call.args) !== JSON.stringify(later.call.args);
	const names = Object.keys(later.row.fields);
	const shared = names.filter((name) => Object.hasOwn(earlier.row.fields, name)).length;
	return !isOtherQuery && 2 * shared > Math.max(names.length, Object.keys(earlier.row.fields).length);
}

/** Whether a call only returns existing data. Commands count as queries. */
function isQuery(call: ToolCall): boolean {
	return isReadOnly(call) || findShellCommand(call) !== undefined;
}

/**
 * Returns the lines of rows that neither the user, the agent nor a call mentioned: by id, by the number at the id's end
 * (`7091239` for `card_7091239`), or by the id of the containing object. Omits rows about an object that the user or a
 * mentioned row names, such as the flights of a booking. O(text).
 */
export function findUnnamedRows(sources: readonly Source[], { byResult }: Outcomes): Set<string> {
	const results = sources.filter(({ rows = [] }) => rows.some(({ id }) => id !== undefined));
	if (results.length === 0) return new Set();
	const typed = new Set(sources.filter(isTyped).flatMap(listIdWords));
	const named = new Set([
		...typed,
		...sources.filter(({ role }) => role === 'assistant').flatMap(listIdWords),
	]);
	const isNamed = (id: string): boolean => {
		const number = id.split(/[_-]/).at(-1) ?? '';
		return named.has(id) || (number.length >= minNumberLength && named.has(number));
	};
	const rows = results.flatMap((source) => source.rows ?? []);
	const related = rows.filter(({ id }) => id !== undefined && isNamed(id)).flatMap(({ lines }) => lines);
	for (const name of related.flatMap(listIdNames)) named.add(name);
	const unnamed = new Set<string>();
	for (const source of results) {
		const call = byResult.get(source)?.call;
		if (call && splitArguments(call).short.some(({ text }) => typed.has(text))) continue;
		for (const { id, parent, lines } of source.rows ?? [])
			if (id !== undefined && ![id, ...parent.split(' ')].some(isNamed))
				for (const line of lines) unnamed.add(line);
	}
	return unnamed;
}

/** Returns the words with a digit in a message, and in the short arguments of its calls. */
function listIdWords({ text, calls }: Source): string[] {
	const asked = calls.flatMap((call) => splitArguments(call).short.map((argument) => argument.text));
	return [text, ...asked].flatMap(listIdNames);
}

function listIdNames(text: string): string[] {
	return (text.match(idWordPattern) ?? []).filter((word) => word.length >= minNameLength && /\d/.test(word));
}
