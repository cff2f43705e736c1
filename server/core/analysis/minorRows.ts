/** Finds rows of data that matter little for the current request: JSON objects and rows of tables, by their ids. */

import type { ToolCall } from '../../protocol/conversation.ts';
import { workLimits } from '../compact/tuning.ts';
import { getOrInsert } from '../getOrInsert.ts';
import { flatMapInSlices, mapInSlices, type SlicedTask } from '../slices.ts';
import { cleanLine } from './clean.ts';
import { findShellCommand, isMutating } from './commands.ts';
import type { Outcomes } from './outcomes.ts';
import { type Source, splitArguments } from './source.ts';
import { isRequest } from './statements.ts';
import { isTyped } from './userStatements.ts';

/** Factor for the score of a row that matters little. */
export const minorRowShare = 0.1;
/** Minimum length of an id that is searched. Shorter ids appear in words by chance. UTF-16 units. */
const minNameLength = 3;
/** Minimum digits of a number at the end of an id that may be mentioned instead of the id. */
const minNumberLength = 4;
/** Number of newest mentions that are kept for each name. */
const maxRecentMentions = 3;
/** Minimum columns and rows of a table. */
const minTableSize = 3;
const idWordPattern = /[\p{L}\p{N}_]+(?:[.-][\p{L}\p{N}_]+)*/gu;
/** An id in a table: letters and digits, or a long number. */
const tableIdPattern = /^(?:(?=[^\d]{0,40}\d)(?=[\d_.-]{0,40}\p{L})[\p{L}\d_.-]{3,40}|#?\d{5,20})$/u;
const columnPattern = /\||\t| {2,}/;
/** Words in the name of a tool that carries out a request about a record. */
const changePattern =
	/^(?:approve|archive|book|cancel|change|close|complete|confirm|delete|downgrade|edit|exchange|finish|modify|move|pay|process|refund|reject|remove|reschedule|resolve|return|settle|submit|update|upgrade)$/;
/** A request about several records. */
const pluralPattern = /\b(?:all|both|each|every|alle[nrs]?|beiden?|jede[nrms]?)\b|すべて|全て|全部|所有|每/i;

/** A mention of an id by the user or the agent. */
interface Mention {
	/** Index of the message. */
	index: number;
	source: Source;
}

/** The mentions of a name that its rows need. */
interface NameMentions {
	/** The newest mentions, one for each message: a row ignores at most two messages, so more are not needed. */
	recent: Mention[];
	/** The newest mention by the user, or by a call that changes something; with that call. */
	newestChange?: { index: number; call?: ToolCall };
}

/** A row with an id, and what is known about it. */
interface RecordRow {
	source: Source;
	/** The row's id, followed by the ids of the objects that contain it. */
	ids: readonly string[];
	/** Name shared by the rows that are compared with each other. */
	group: string;
	isTable: boolean;
	/** The lines as the result has them. */
	lines: readonly string[];
	/** Whether the user typed an argument of the call that returned the row. */
	isAsked: boolean;
	/** Whether the row is named at all, and by others than its own call and the message after its result. */
	isNamed: boolean;
	isNamedAgain: boolean;
	/** Whether the row was returned, or named again, after the current request. */
	isReturnedNow: boolean;
	isNamedNow: boolean;
	/** Whether the newest change of the record succeeded, and the user has not named it since. */
	isFinished: boolean;
	isFinishedNow: boolean;
}

/**
 * Returns the lines of rows that matter little, by result. In each group of rows, the rows of the current request come
 * first, then rows that were named again after their lookup. These rows matter little: finished ones while another row
 * is pending, those that were only looked up while others were named again, and those that nobody named, by id, by the
 * number at the id's end (`7091239` for `card_7091239`), by the id of the containing object, or by the row of another
 * object. O(text), in slices.
 */
export function* findMinorRows(
	sources: readonly Source[],
	outcomes: Outcomes,
): SlicedTask<ReadonlyMap<Source, ReadonlySet<string>>> {
	const records = yield* readRecords(sources, outcomes);
	yield;
	const minor = new Map<Source, Set<string>>();
	if (records.length === 0) return minor;
	const groups = new Map<string, RecordRow[]>();
	for (const record of records) getOrInsert(groups, record.group, () => []).push(record);
	const request = sources.findLast(isCurrentRequest);
	const isPlural = request !== undefined && pluralPattern.test(request.text);
	const passed = new Set([...groups.values()].flatMap((group) => listPassedRows(group, isPlural)));
	const chosenGroups = new Set(records.flatMap((row) => (row.isNamedAgain ? row.group : [])));
	const related = new Set<string>();
	for (const record of records)
		if (record.isNamed && !passed.has(record) && !record.isTable)
			for (const name of record.lines.flatMap(listIdNames)) related.add(name);
	for (const record of records) {
		const { ids, source, isNamed, isAsked, isTable, group, lines } = record;
		const isKnown = isNamed || isAsked || ids.some((id) => listNames(id).some((name) => related.has(name)));
		const isUnnamed = !isKnown && (!isTable || chosenGroups.has(group));
		if (!passed.has(record) && !isUnnamed) continue;
		const own = getOrInsert(minor, source, () => new Set<string>());
		for (const line of lines) own.add(isTable ? cleanLine(line) : line);
	}
	return minor;
}

/** Returns the named rows of a group that others displace. */
function listPassedRows(group: readonly RecordRow[], isPlural: boolean): RecordRow[] {
	const pending = group.filter((row) => !row.isFinished && (row.isNamedNow || row.isReturnedNow));
	const hasChosen = group.some((row) => !row.isFinished && row.isNamedAgain);
	// A request that has changed one record may concern each of the others.
	const isSeries = isPlural || group.some((row) => row.isFinishedNow);
	return group.filter((row) => {
		if (row.isFinished) return pending.length > 0;
		if (!row.isNamed || row.isNamedAgain || row.isAsked) return false;
		return hasChosen && !(isSeries && row.isReturnedNow);
	});
}

function* readRecords(sources: readonly Source[], { byResult, byCall }: Outcomes): SlicedTask<RecordRow[]> {
	const read: ReadRow[] = [];
	for (const [index, source] of sources.entries()) {
		if (index % workLimits.resultsPerSlice === 0) yield;
		for (const row of readRows(source, byResult.get(source)?.call)) read.push(row);
	}
	const names = new Set(yield* flatMapInSlices(read, ({ ids }) => ids.flatMap(listNames)));
	if (names.size === 0) return [];
	const mentions = collectMentions(sources, names);
	yield;
	// Rows of tables are only compared with a row that was named.
	const named = new Set(read.flatMap(({ ids, group }) => (ids.some((id) => mentions.has(id)) ? group : [])));
	const found = read.filter(({ isTable, group }) => !isTable || named.has(group));
	const typed = new Set(sources.filter(isTyped).flatMap(({ text }) => listIdNames(text)));
	const answers = findNextAnswers(sources);
	const begin = findRequestStart(sources);
	const indexes = new Map(sources.map((source, index) => [source, index]));
	yield;
	return yield* mapInSlices(found, (row): RecordRow => {
		const { call, caller } = byResult.get(row.source) ?? {};
		const around = [caller, answers.get(row.source)];
		const own = row.ids.flatMap((id) => listNames(id).flatMap((name) => mentions.get(name) ?? []));
		const recent = own.flatMap((of) => of.recent);
		const again = recent.filter(({ source }) => !around.includes(source));
		const changes = own.flatMap((of) => of.newestChange ?? []).sort((a, b) => a.index - b.index);
		const last = changes.at(-1);
		const isFinished = last?.call !== undefined && byCall.get(last.call)?.failed === false;
		return {
			...row,
			isAsked: call !== undefined && splitArguments(call).short.some(({ text }) => typed.has(text)),
			isNamed: recent.length > 0,
			isNamedAgain: again.length > 0,
			isReturnedNow: (indexes.get(row.source) ?? 0) >= begin,
			isNamedNow: again.some(({ index }) => index >= begin),
			isFinished,
			isFinishedNow: isFinished && last.index >= begin,
		};
	});
}

type ReadRow = Pick<RecordRow, 'source' | 'ids' | 'group' | 'isTable' | 'lines'>;

/** Returns the rows with ids of a JSON result, or of a table in the text of a result. */
function readRows(source: Source, call: ToolCall | undefined): ReadRow[] {
	if (source.role !== 'tool') return [];
	if (source.rows)
		return source.rows.flatMap(({ id, idName = '', parent, lines }) => {
			if (id === undefined) return [];
			const containing = parent.split(' ').filter((word) => word !== '');
			return [{ source, ids: [id, ...containing], group: `${idName} of rows`, isTable: false, lines }];
		});
	const group = `table of ${call?.name}`;
	const rows = source.text
		.slice(0, workLimits.maxLengthOf.result)
		.split('\n')
		.flatMap((line): ReadRow[] => {
			const cells = line.split(columnPattern).flatMap((cell) => cell.trim() || []);
			const [id = ''] = cells;
			if (cells.length < minTableSize || !tableIdPattern.test(id)) return [];
			return [{ source, ids: [id.replace(/^#/, '')], group, isTable: true, lines: [line] }];
		});
	return new Set(rows.map(({ ids }) => ids[0])).size < minTableSize ? [] : rows;
}

/** Returns the mentions of each name by the user and the agent. */
function collectMentions(sources: readonly Source[], names: ReadonlySet<string>): Map<string, NameMentions> {
	const mentions = new Map<string, NameMentions>();
	for (const [index, source] of sources.entries()) {
		if (source.role !== 'assistant' && !isTyped(source)) continue;
		const add = (text: string, change?: NameMentions['newestChange']): void => {
			for (const name of listIdNames(text)) {
				if (!names.has(name)) continue;
				const own = getOrInsert(mentions, name, (): NameMentions => ({ recent: [] }));
				if (own.recent.at(-1)?.source !== source) own.recent.push({ index, source });
				if (own.recent.length > maxRecentMentions) own.recent.shift();
				if (change) own.newestChange = change;
			}
		};
		add(source.text, isTyped(source) ? { index } : undefined);
		for (const call of source.calls) {
			const change = isChange(call) ? { index, call } : undefined;
			for (const { text } of splitArguments(call).short) add(text, change);
		}
	}
	return mentions;
}

function isCurrentRequest(source: Source): boolean {
	return isTyped(source) && isRequest(source.text.trim());
}

/** Returns the index of the current request, or of the agent's question or proposal that it answers. */
function findRequestStart(sources: readonly Source[]): number {
	const index = sources.findLastIndex(isCurrentRequest);
	return sources[index - 1]?.role === 'assistant' ? index - 1 : Math.max(0, index);
}

/** Whether a call carries out a request about the records that its arguments name. */
function isChange(call: ToolCall): boolean {
	if (findShellCommand(call) !== undefined) return isMutating(call);
	return call.name
		.split(/[^A-Za-z]+|(?<=[a-z])(?=[A-Z])/)
		.some((word) => changePattern.test(word.toLowerCase()));
}

/** Returns the message of the agent that follows each other message. */
function findNextAnswers(sources: readonly Source[]): Map<Source, Source> {
	const answers = new Map<Source, Source>();
	let next: Source | undefined;
	for (const source of sources.toReversed()) {
		if (source.role === 'assistant') next = source;
		else if (next) answers.set(source, next);
	}
	return answers;
}

/** Returns the words by which a row with an id may be mentioned. */
function listNames(id: string): string[] {
	const number = id.split(/[_-]/).at(-1) ?? '';
	return number !== id && number.length >= minNumberLength && /\d/.test(number) ? [id, number] : [id];
}

function listIdNames(text: string): string[] {
	return (text.match(idWordPattern) ?? []).filter((word) => word.length >= minNameLength && /\d/.test(word));
}
