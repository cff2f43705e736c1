/** The records of a session: what services returned about each id, and what calls changed of it. */

import type { ToolCall } from '../../../protocol/conversation.ts';
import { type Fields, isFields } from '../../shape.ts';
import type { DataRow, Source } from '../ledger/source.ts';
import { commandOf, isLook } from '../thread/commands.ts';
import { columnText, idNameOf, inline, isId, otherId, ownId } from '../thread/json.ts';
import type { Outcome, Outcomes } from '../thread/outcomes.ts';
import { isTyped } from '../thread/userWords.ts';

/** A record after the newest message. */
export interface SessionRecord {
	id: string;
	idName: string;
	/** What it is nested in. */
	parent: string;
	/** Dates, places and the like that its query named and its columns do not. */
	context: ReadonlyMap<string, string>;
	/** Columns as the newest results have them. */
	fields: Fields;
	/** The newest result that holds it. */
	source: Source;
	/** The call of that result. */
	call: ToolCall;
	/** Calls that changed it or failed to, oldest first. */
	changes: RecordChange[];
	/** Who named it: see `rankOf`. */
	rank: number;
	/** Its lines in the newest result, and in those before that said something else. */
	lines: readonly string[];
	outdated: string[];
}

/** What a call did to a record. */
export interface RecordChange {
	outcome: Outcome;
	/** Arguments that its columns did not hold before: `cabin economy`. */
	asked: string[];
	/** What the result shows to be new: `price 480 → 140`. */
	changed: string[];
}

/** Shorter ids appear in the user's words by chance. UTF-16 units. */
const minSpokenId = 3;
/** Shorter numbers at the end of an id do not name it. Digits. */
const minSpokenNumber = 4;
const dateOrPath = /^(?:\d{4}-\d\d|\d{1,2}\.\d{1,2}\.\d|[^\s/]{1,64}\/\S{1,64}$)/;
const spokenId = /[\p{L}\p{N}_]+(?:[.-][\p{L}\p{N}_]+)*/gu;

/**
 * How important a record is, from who named its id: nobody, the agent, the agent as the subject of a query, or the user.
 * A record that belongs to one that the user named comes just before that one.
 */
export const rankOf = { unnamed: 0, used: 1, asked: 2, belonging: 3, named: 4 } as const;

/** Returns the records of all results that are JSON, in the order in which they first appeared. O(text). */
export function recordsOf(sources: readonly Source[], outcomes: Outcomes): SessionRecord[] {
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

/** Whether words name a record: by its id, or as people do, by the number at its end (`7091239` for `card_7091239`). */
function names(words: ReadonlySet<string>, { id }: SessionRecord): boolean {
	const number = id.split(/[_-]/).at(-1) ?? '';
	return words.has(id) || (number.length >= minSpokenNumber && words.has(number));
}

/** Words of messages that may be ids: those with a digit. O(text). */
function idsNamedIn(sources: readonly Source[]): Set<string> {
	const words = sources.flatMap(({ text }) => text.match(spokenId) ?? []);
	return new Set(words.filter((word) => word.length >= minSpokenId && /\d/.test(word)));
}

class RecordTable {
	readonly records: SessionRecord[] = [];
	private readonly byId = new Map<string, SessionRecord[]>();

	/** Adds what a call returned and did. */
	add(outcome: Outcome): void {
		const { call, failed } = outcome;
		if (this.records.length === 0 && !outcome.result.rows) return;
		for (const value of leavesOf(call.args).values())
			for (const record of this.byId.get(value) ?? []) record.rank = Math.max(record.rank, rankOf.used);
		const rows = failed ? [] : rowsOf(outcome);
		if (isQuery(call)) for (const row of rows) this.show(row, outcome, contextOf(call, row));
		else this.change(outcome, rows);
	}

	private change(outcome: Outcome, rows: readonly IdRow[]): void {
		const { call, failed } = outcome;
		const record = this.subjectOf(call);
		const before = record?.fields;
		const own = rows.find(({ id }) => id === record?.id);
		// A result that has few of the columns says what the call did, not what the record is.
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

	/** The record that a call is about: the first that its arguments name. */
	private subjectOf({ args }: ToolCall): SessionRecord | undefined {
		if (!isFields(args)) return undefined;
		for (const [name, value] of Object.entries(args)) {
			const named = isId(value) ? (this.byId.get(String(value)) ?? []) : [];
			const alike = named.filter(({ idName }) => idName === name);
			const [first, other] = alike.length > 0 ? alike : named;
			// An `id` may be of anything.
			if (first)
				return other && ownId.test(first.idName)
					? undefined
					: (alike.find(({ rank }) => rank > rankOf.used) ?? first);
		}
		return undefined;
	}

	/** Adds a row to its record: a call of the same name returns all of it, another one may return a part. */
	private show(row: IdRow, { call, result }: Outcome, context = new Map<string, string>()): SessionRecord {
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

/** Whether a call only returns what is there; commands are no services. */
function isQuery(call: ToolCall): boolean {
	return isLook(call) || commandOf(call) !== undefined;
}

function isAskedBy({ args }: ToolCall, id: string): boolean {
	return isFields(args) && Object.values(args).some((value) => isId(value) && String(value) === id);
}

/** The arguments of a call but the record's id, what it has already in lists, and what the last call of that name had, too. */
function argumentsAsked({ call }: Outcome, { id, changes }: SessionRecord, before: unknown): string[] {
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

/** The rows of a result that have ids; one without takes that which its query named. */
function rowsOf({ call, result }: Outcome): IdRow[] {
	const { rows = [] } = result;
	const [first] = rows;
	return rows.flatMap((row): IdRow[] => {
		const { id, idName } = row;
		if (id !== undefined && idName !== undefined) return [{ ...row, id, idName }];
		const asked = row === first && isLook(call) && commandOf(call) === undefined ? idAsked(call) : undefined;
		return asked ? [{ ...row, ...asked }] : [];
	});
}

/** The only argument of a call, if it may be an id. */
function idAsked({ args }: ToolCall): Pick<IdRow, 'id' | 'idName'> | undefined {
	const entries = isFields(args) ? Object.entries(args) : [];
	const [[idName, id] = ['', '']] = entries;
	return entries.length === 1 && typeof id === 'string' && /^\S{1,64}$/.test(id) && /\d/.test(id)
		? { id, idName }
		: undefined;
}

/** Arguments of a query that may part records of the same id: other ids, dates and paths that the row does not have. */
function contextOf({ args }: ToolCall, { id, fields }: IdRow): Map<string, string> {
	if (!isFields(args)) return new Map();
	const own = new Set([id, ...leavesOf(fields).values()]);
	const parting = Object.entries(args).filter(
		(entry): entry is [string, string] =>
			typeof entry[1] === 'string' &&
			!own.has(entry[1]) &&
			(otherId.test(entry[0]) || dateOrPath.test(entry[1])),
	);
	return new Map(parting);
}

/** Whether a row is of the same record: nothing around it differs, and its columns are of the same kind. */
function isSame(record: SessionRecord, row: IdRow, context: ReadonlyMap<string, string>): boolean {
	const { idName, parent } = row;
	if (record.idName !== idName || (record.parent !== '' && parent !== '' && record.parent !== parent))
		return false;
	for (const [name, value] of context) if ((record.context.get(name) ?? value) !== value) return false;
	return hasColumnsOf(record, row);
}

/** Whether more than half of the columns of a row, or of the record, are in the other. */
function hasColumnsOf(record: SessionRecord, row: IdRow): boolean {
	const names = Object.keys(row.fields);
	const shared = names.filter((name) => Object.hasOwn(record.fields, name)).length;
	return 2 * shared > Math.min(names.length, Object.keys(record.fields).length);
}

/** The plain values in a value, by their paths; items of lists by their ids or places. */
function leavesOf(value: unknown, path = '', leaves = new Map<string, string>()): Map<string, string> {
	if (typeof value !== 'object' || value === null) {
		if (value !== undefined && value !== null) leaves.set(path, String(value));
		return leaves;
	}
	for (const [name, one] of Object.entries(value))
		leavesOf(one, path === '' ? name : `${path} ${name}`, leaves);
	return leaves;
}

/** The values of a result that were not known: `charged 75`. */
function newValues(fields: Fields, known: Iterable<string>): string[] {
	const values = new Set(known);
	return Object.entries(fields).flatMap(([name, value]) =>
		[...leavesOf(value).values()].every((one) => values.has(one)) ? [] : [columnText(name, value)],
	);
}

/** What differs between two values, by name: `price 480 → 140`; items of lists by their ids. */
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

/** The members of an object by name, or the items of a list by their ids or places. */
function membersOf(value: object, hasIds: boolean): Map<string, unknown> {
	const ids = hasIds ? idsOf(value as unknown[]) : undefined;
	return new Map(ids ? ids.map((id, index) => [id, (value as unknown[])[index]]) : Object.entries(value));
}

/** The ids of the items of a list, if each has one of its own. */
function idsOf(list: readonly unknown[]): string[] | undefined {
	const ids = list.flatMap((item) => {
		const name = isFields(item) ? idNameOf(item) : undefined;
		return name === undefined ? [] : [String((item as Fields)[name])];
	});
	return new Set(ids).size === list.length ? ids : undefined;
}
