/** The records of a session: what services returned for each id, and how calls changed it. */

import type { ToolCall } from '../../../protocol/conversation.ts';
import { type Fields, isFields } from '../../shape.ts';
import type { DataRow, Source } from '../facts/source.ts';
import { findShellCommand, isReadOnly } from '../narrative/commands.ts';
import { columnText, idMemberName, idNameOf, inline, isId, possibleIdMemberName } from '../narrative/json.ts';
import type { CallOutcome, Outcomes } from '../narrative/outcomes.ts';
import { isTyped } from '../narrative/userWords.ts';

/** A record after the newest message. */
export interface SessionRecord {
	id: string;
	idName: string;
	/** What it is nested in. */
	parent: string;
	/** Dates, places and the like that its query named and its columns lack. */
	context: ReadonlyMap<string, string>;
	/** The columns of the newest results. */
	fields: Fields;
	/** The newest result that contains it. */
	source: Source;
	/** The call of that result. */
	call: ToolCall;
	/** Calls that changed it or failed to, oldest first. */
	changes: RecordChange[];
	/** Who named it, as a value of `rankOf`. */
	rank: number;
	/** Its lines in the newest result, and those of earlier results that differ. */
	lines: readonly string[];
	outdated: string[];
}

/** What a call did to a record. */
export interface RecordChange {
	outcome: CallOutcome;
	/** Arguments that were not in its columns before: `cabin economy`. */
	asked: string[];
	/** Values that the result shows as new: `price 480 → 140`. */
	changed: string[];
}

/** Shorter ids appear in the user's words by chance. UTF-16 units. */
const minSpokenId = 3;
/** Shorter numbers at the end of an id do not name it. Digits. */
const minSpokenNumber = 4;
const dateOrPath = /^(?:\d{4}-\d\d|\d{1,2}\.\d{1,2}\.\d|[^\s/]{1,64}\/\S{1,64}$)/;
const spokenId = /[\p{L}\p{N}_]+(?:[.-][\p{L}\p{N}_]+)*/gu;

/**
 * Importance of a record by who named its id: nobody, the agent, the agent as the subject of a query, or the user. A
 * record related to one that the user named ranks just below it.
 */
export const rankOf = { unnamed: 0, used: 1, asked: 2, belonging: 3, named: 4 } as const;

/** Returns the records of all JSON results, in the order of their first appearance. O(text). */
export function collectRecords(sources: readonly Source[], outcomes: Outcomes): SessionRecord[] {
	const table = new RecordTable();
	for (const source of sources) {
		const outcome = outcomes.byResult.get(source);
		if (outcome) table.add(outcome);
	}
	if (table.records.length === 0) return [];
	const byUsers = idsNamedIn(sources.filter(isTyped));
	const byAgent = idsNamedIn(sources.filter(({ role }) => role === 'assistant'));
	for (const record of table.records) {
		const said = names(byUsers, record)
			? rankOf.named
			: names(byAgent, record)
				? rankOf.used
				: rankOf.unnamed;
		record.rank = Math.max(record.rank, said);
	}
	const named = new Set(table.records.flatMap(({ id, rank }) => (rank === rankOf.named ? id : [])));
	for (const record of table.records)
		if ([record.parent, ...record.context.values()].some((id) => named.has(id)))
			record.rank = Math.max(record.rank, rankOf.belonging);
	return table.records;
}

/** Whether words name a record: by its id, or by the number at its end (`7091239` for `card_7091239`). */
function names(words: ReadonlySet<string>, { id }: SessionRecord): boolean {
	const number = id.split(/[_-]/).at(-1) ?? '';
	return words.has(id) || (number.length >= minSpokenNumber && words.has(number));
}

/** Returns the words of messages that may be ids: those with a digit. O(text). */
function idsNamedIn(sources: readonly Source[]): Set<string> {
	const words = sources.flatMap(({ text }) => text.match(spokenId) ?? []);
	return new Set(words.filter((word) => word.length >= minSpokenId && /\d/.test(word)));
}

class RecordTable {
	readonly records: SessionRecord[] = [];
	private readonly byId = new Map<string, SessionRecord[]>();

	/** Adds what a call returned and changed. */
	add(outcome: CallOutcome): void {
		const { call, failed } = outcome;
		if (this.records.length === 0 && !outcome.result.rows) return;
		for (const value of leavesOf(call.args).values())
			for (const record of this.byId.get(value) ?? []) record.rank = Math.max(record.rank, rankOf.used);
		const rows = failed ? [] : rowsOf(outcome);
		if (isQuery(call)) for (const row of rows) this.show(row, outcome, contextOf(call, row));
		else this.change(outcome, rows);
	}

	private change(outcome: CallOutcome, rows: readonly IdRow[]): void {
		const { call, failed } = outcome;
		const record = this.subjectOf(call);
		const before = record?.fields;
		const own = rows.find(({ id }) => id === record?.id);
		// A result with few of the columns describes what the call did, not the record.
		const isEvent = own !== undefined && record !== undefined && !hasColumnsOf(record, own);
		for (const row of rows) {
			const shown = row === own && isEvent ? undefined : this.show(row, outcome);
			if (!record && rows.length === 1) shown?.changes.push({ outcome, asked: [], changed: [] });
		}
		if (!record) return;
		const asked = argumentsAsked(outcome, record, before);
		const changed = failed ? [] : differences(before, record.fields);
		const news = isEvent
			? newValues(own.fields, [record.id, ...leavesOf([before, call.args]).values()])
			: changed;
		if (failed || isEvent || changed.length > 0 || !own)
			record.changes.push({ outcome, asked, changed: news });
	}

	/** Returns the record that a call is about: the first that its arguments name. */
	private subjectOf({ args }: ToolCall): SessionRecord | undefined {
		if (!isFields(args)) return undefined;
		for (const [name, value] of Object.entries(args)) {
			const named = isId(value) ? (this.byId.get(String(value)) ?? []) : [];
			const alike = named.filter(({ idName }) => idName === name);
			const [first, other] = alike.length > 0 ? alike : named;
			// A member called `id` may belong to any kind of record.
			if (first)
				return other && idMemberName.test(first.idName)
					? undefined
					: (alike.find(({ rank }) => rank > rankOf.used) ?? first);
		}
		return undefined;
	}

	/** Adds a row to its record. A call of the same name returns all columns, another one perhaps only some. */
	private show(
		row: IdRow,
		{ call, result }: CallOutcome,
		context = new Map<string, string>(),
	): SessionRecord {
		const { id, idName, parent, fields, lines } = row;
		const known = this.byId.get(id)?.findLast((one) => isSame(one, row, context));
		const rank = isAskedBy(call, id) ? rankOf.asked : rankOf.unnamed;
		const now = { fields, lines, source: result, call };
		if (known) {
			if (known.call.name !== call.name) now.fields = { ...known.fields, ...fields };
			if (differences(known.fields, now.fields).length > 0) known.outdated.push(...known.lines);
			known.rank = Math.max(known.rank, rank);
			return Object.assign(known, now);
		}
		const record = { id, idName, parent, context, ...now, rank, changes: [], outdated: [] };
		this.records.push(record);
		this.byId.set(id, [...(this.byId.get(id) ?? []), record]);
		return record;
	}
}

/** Whether a call only returns existing data. Commands count as queries, since they are no services. */
function isQuery(call: ToolCall): boolean {
	return isReadOnly(call) || findShellCommand(call) !== undefined;
}

function isAskedBy({ args }: ToolCall, id: string): boolean {
	return isFields(args) && Object.values(args).some((value) => isId(value) && String(value) === id);
}

/** Renders the new arguments of a call: not the record's id, known list items, or arguments of the call before. */
function argumentsAsked({ call }: CallOutcome, { id, changes }: SessionRecord, before: unknown): string[] {
	const last = changes.findLast(({ outcome }) => outcome.call.name === call.name)?.outcome.call;
	const repeated = new Set(last ? leavesOf(last.args).values() : []);
	const known = new Set(leavesOf(before).values());
	return [
		...new Set(
			[...leavesOf(call.args)]
				.filter(
					([path, value]) =>
						value !== id && !repeated.has(value) && (!path.includes(' ') || !known.has(value)),
				)
				.map(([path, value]) => columnText(path.slice(path.lastIndexOf(' ') + 1), value)),
		),
	];
}

type IdRow = DataRow & { id: string; idName: string };

/** Returns the rows of a result that have ids; one without gets the id that its query named. */
function rowsOf({ call, result }: CallOutcome): IdRow[] {
	const { rows = [] } = result;
	const [first] = rows;
	return rows.flatMap((row): IdRow[] => {
		const { id, idName } = row;
		if (id !== undefined && idName !== undefined) return [{ ...row, id, idName }];
		const asked =
			row === first && isReadOnly(call) && findShellCommand(call) === undefined ? idAsked(call) : undefined;
		return asked ? [{ ...row, ...asked }] : [];
	});
}

/** Returns the only argument of a call, if it may be an id. */
function idAsked({ args }: ToolCall): Pick<IdRow, 'id' | 'idName'> | undefined {
	const entries = isFields(args) ? Object.entries(args) : [];
	const [[idName, id] = ['', '']] = entries;
	return entries.length === 1 && typeof id === 'string' && /^\S{1,64}$/.test(id) && /\d/.test(id)
		? { id, idName }
		: undefined;
}

/** Returns arguments of a query that may separate records with the same id: ids, dates and paths not in the row. */
function contextOf({ args }: ToolCall, { id, fields }: IdRow): Map<string, string> {
	if (!isFields(args)) return new Map();
	const own = new Set([id, ...leavesOf(fields).values()]);
	const parting = Object.entries(args).filter(
		(entry): entry is [string, string] =>
			typeof entry[1] === 'string' &&
			!own.has(entry[1]) &&
			(possibleIdMemberName.test(entry[0]) || dateOrPath.test(entry[1])),
	);
	return new Map(parting);
}

/** Whether a row belongs to a record: no context differs, and the columns are of the same kind. */
function isSame(record: SessionRecord, row: IdRow, context: ReadonlyMap<string, string>): boolean {
	const { idName, parent } = row;
	if (record.idName !== idName || (record.parent !== '' && parent !== '' && record.parent !== parent))
		return false;
	for (const [name, value] of context) if ((record.context.get(name) ?? value) !== value) return false;
	return hasColumnsOf(record, row);
}

/** Whether more than half of the columns of the smaller of the two are in the other. */
function hasColumnsOf(record: SessionRecord, row: IdRow): boolean {
	const names = Object.keys(row.fields);
	const shared = names.filter((name) => Object.hasOwn(record.fields, name)).length;
	return 2 * shared > Math.min(names.length, Object.keys(record.fields).length);
}

/** Returns the plain values in a value by path; list items by index. */
function leavesOf(value: unknown, path = '', leaves = new Map<string, string>()): Map<string, string> {
	if (typeof value !== 'object' || value === null) {
		if (value !== undefined && value !== null) leaves.set(path, String(value));
		return leaves;
	}
	for (const [name, one] of Object.entries(value))
		leavesOf(one, path === '' ? name : `${path} ${name}`, leaves);
	return leaves;
}

/** Renders the values of a result that were not known: `charged 75`. */
function newValues(fields: Fields, known: Iterable<string>): string[] {
	const values = new Set(known);
	return Object.entries(fields).flatMap(([name, value]) =>
		[...leavesOf(value).values()].every((one) => values.has(one)) ? [] : [columnText(name, value)],
	);
}

/** Renders the differences between two values by name: `price 480 → 140`; list items by their ids. */
function differences(before: unknown, after: unknown, path = ''): string[] {
	if (
		before === undefined ||
		after === undefined ||
		typeof before !== 'object' ||
		typeof after !== 'object' ||
		before === null ||
		after === null
	) {
		if (before === after) return [];
		return [
			before === undefined
				? `${path} ${inline(after)}`
				: `${path} ${inline(before)} → ${after === undefined ? 'none' : inline(after)}`,
		];
	}
	const hasIds = [before, after].every((value) => Array.isArray(value) && idsOf(value) !== undefined);
	const [old, now] = [membersOf(before, hasIds), membersOf(after, hasIds)];
	return [...new Set([...old.keys(), ...now.keys()])].flatMap((key) => {
		const isItem = Array.isArray(after);
		const name = isItem && /\D/.test(key) ? key : `${path} ${key}`.trim();
		if (isItem && !old.has(key)) return [`${path} + ${inline(now.get(key))}`];
		if (isItem && !now.has(key)) return [`${path} − ${inline(old.get(key))}`];
		return differences(old.get(key), now.get(key), name);
	});
}

/** Returns the members of an object by name, or list items by id or index. */
function membersOf(value: object, hasIds: boolean): Map<string, unknown> {
	const ids = hasIds ? idsOf(value as unknown[]) : undefined;
	return new Map(ids ? ids.map((id, index) => [id, (value as unknown[])[index]]) : Object.entries(value));
}

/** Returns the ids of list items, if each has its own. */
function idsOf(list: readonly unknown[]): string[] | undefined {
	const ids = list.flatMap((item) => {
		const name = isFields(item) ? idNameOf(item) : undefined;
		return name === undefined ? [] : [String((item as Fields)[name])];
	});
	return new Set(ids).size === list.length ? ids : undefined;
}
