/** Finds rows of JSON results that a later result replaced. */

import type { ToolCall } from '../../../protocol/conversation.ts';
import { getOrInsert } from '../../getOrInsert.ts';
import { type Fields, isFields, tryParseJson } from '../../shape.ts';
import type { Outcomes } from '../message/callOutcome.ts';
import { collectRows, rowLimits } from '../message/json.ts';
import type { DataRow, Source } from '../message/source.ts';
import { hasShellCommand, isReadOnly } from '../shell/commands.ts';

/** Number of rows with the same id that are compared with a later one. */
const maxComparedRows = 20;

/** A row with the call that returned it. */
interface ReturnedRow {
	row: DataRow;
	call: ToolCall;
	source: Source;
}

/** The rows that later results replaced or changed. */
export interface OutdatedRows {
	/** The lines of rows that a later row of the same object replaced. */
	lines: ReadonlySet<string>;
	/** A note for each result with rows that a later result changed: ` (changed later: K7Q2 in #14)`. */
	notes: ReadonlyMap<Source, string>;
}

/**
 * Returns the rows that a later row replaced or changed. Two rows describe the same object if they have the same id, unless
 * they come from two different queries; the later one replaces the other if they share most columns. O(rows).
 */
export function findOutdatedRows({ byResult }: Outcomes): OutdatedRows {
	const newestByKey = new Map<string, ReturnedRow[]>();
	const lines = new Set<string>();
	const changes = new Map<Source, Map<string, Source>>();
	const rowsById = new Map<string, ReturnedRow[]>();
	for (const [source, { call, failed }] of byResult) {
		if (failed) continue;
		const rows = listRows(source);
		const returnedIds = new Set(rows.map(({ id }) => id));
		for (const [changedId, argument] of isQuery(call) ? [] : listChangedIds(call, source.text)) {
			if (returnedIds.has(changedId)) continue;
			const known = rowsById.get(changedId) ?? [];
			for (const one of known.filter(({ row }) => argument === '' || row.idName === argument))
				getOrInsert(changes, one.source, () => new Map()).set(changedId, source);
		}
		for (const row of rows) {
			const { id, idName, fields } = row;
			if (id === undefined) continue;
			const known = getOrInsert(newestByKey, `${idName} ${id}`, () => []);
			const later = { row, call, source };
			const earlier = known.filter((one) => isSameObject(one, later));
			const replaced = earlier.findLast((one) => replacesMost(one, later));
			if (replaced) known.splice(known.indexOf(replaced), 1);
			for (const line of replaced?.row.lines ?? []) lines.add(line);
			for (const line of row.lines) lines.delete(line);
			for (const one of earlier)
				if (one !== replaced && changesValue(one.row.fields, fields))
					getOrInsert(changes, one.source, () => new Map<string, Source>()).set(id, source);
			known.push(later);
			const withId = getOrInsert(rowsById, id, () => []);
			withId.push(later);
			for (const all of [known, withId]) if (all.length > maxComparedRows) all.shift();
		}
	}
	return { lines, notes: new Map([...changes].map(([source, ids]) => [source, describeChanges(ids)])) };
}

/** Names of tools that create an object for the one that they name, which stays as it is. */
const creatingNamePattern =
	/(?:^|[_.-])(?:book|create|add|place|submit|send|post|open|start|transfer|verify|check|think|export|preview|simulate|validate|estimate|print|notify)(?![a-z])/i;
/** A text that may be an id: it has a digit or is a code. */
const idPattern = /^(?=.*(?:\d|[A-Z]{3}))[\w#.:-]{3,64}$/;

/** Results that say that nothing was changed. */
const unchangedPattern =
	/"(?:applied|success|ok|changed|updated)"\s?:\s?false|"code"\s?:\s?[45]\d\d|\b(?:rejected|denied|dry[_ -]?run)\b/i;

/** Returns the ids in a call that changes objects, with the names of their arguments; empty for the first argument. */
function listChangedIds({ name, args }: ToolCall, result: string): [id: string, argument: string][] {
	if (creatingNamePattern.test(name) || !isFields(args) || unchangedPattern.test(result)) return [];
	return Object.entries(args).flatMap(([argument, value], index) =>
		(Array.isArray(value) ? value : [value])
			.filter((one): one is string => typeof one === 'string' && idPattern.test(one))
			.map((id): [string, string] => [id, index === 0 ? '' : argument]),
	);
}

/** Returns the rows of a result, also of one that is too short to be rendered as rows. */
function listRows({ rows, text }: Source): readonly DataRow[] {
	const isShort = rows === undefined && text.length < rowLimits.minLength && text.startsWith('{');
	const value = isShort ? tryParseJson(text)?.value : undefined;
	return rows ?? collectRows(value).map((row) => ({ ...row, lines: [], memberLines: [] }));
}

/** Maximum number of changed objects that a note names. */
const maxNamedObjects = 3;

function describeChanges(changes: ReadonlyMap<string, Source>): string {
	const names = [...changes].slice(-maxNamedObjects).map(([id, { seq }]) => `${id} in #${seq}`);
	return ` (changed later: ${names.join(', ')}${changes.size > maxNamedObjects ? ', …' : ''})`;
}

/** A member that tells that an object is gone. */
const endNamePattern = /^(?:is_?)?(?:deleted|removed|cancell?ed|archived|closed)$/i;

/** Whether later members have another simple value than earlier ones, or tell that the object is gone. */
function changesValue(earlier: Fields, later: Fields): boolean {
	return Object.entries(later).some(([name, value]) => {
		if (typeof value === 'object') return false;
		if (Object.hasOwn(earlier, name)) return typeof earlier[name] !== 'object' && earlier[name] !== value;
		return value === true && endNamePattern.test(name);
	});
}

function isSameObject(earlier: ReturnedRow, later: ReturnedRow): boolean {
	const isOtherQuery =
		isQuery(earlier.call) &&
		isQuery(later.call) &&
		JSON.stringify(earlier.call.args) !== JSON.stringify(later.call.args);
	return !isOtherQuery && earlier.source !== later.source;
}

/** Whether two rows share most columns and the same parent. */
function replacesMost(earlier: ReturnedRow, later: ReturnedRow): boolean {
	const names = Object.keys(later.row.fields);
	const sharedCount = names.filter((name) => Object.hasOwn(earlier.row.fields, name)).length;
	return (
		earlier.row.parent === later.row.parent &&
		2 * sharedCount > Math.max(names.length, Object.keys(earlier.row.fields).length)
	);
}

/** Whether a call only returns existing data. Commands count as queries. */
function isQuery(call: ToolCall): boolean {
	return isReadOnly(call) || hasShellCommand(call);
}
