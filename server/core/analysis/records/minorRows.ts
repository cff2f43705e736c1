/** Finds rows of JSON results that matter little for the current request, by their ids. */

import type { ToolCall } from '../../../protocol/conversation.ts';
import { workLimits } from '../../compact/tuning.ts';
import { getOrInsert } from '../../getOrInsert.ts';
import { flatMapInSlices, mapInSlices, type SlicedTask } from '../../slices.ts';
import type { Outcomes } from '../message/callOutcome.ts';
import { type Source, splitArguments } from '../message/source.ts';
import { hasShellCommand, isReadOnly } from '../shell/commands.ts';
import { isRequest } from '../text/statements.ts';
import { isTyped } from '../user/userStatements.ts';

/** Factor for the score of a row that matters little. */
export const minorRowShare = 0.1;
/** Minimum length of an id that is searched. Shorter ids appear in words by chance. UTF-16 units. */
const minNameLength = 3;
/** Minimum digits of the number at an id's end (`7091239` in `card_7091239`) for which it counts as a mention of the id. */
const minNumberLength = 4;
/** Number of newest messages kept for each name: one more than the row's call and the message after its result. */
const maxRecentMentions = 3;
/** A request about several records. */
const pluralPattern = /\b(?:all|both|each|every|alle[nrs]?|beiden?|jede[nrms]?)\b|すべて|全て|全部|所有|每/i;
/** Marks before and after an id. */
const outerMarksPattern = /^[^\p{L}\p{N}_]{1,9}|[^\p{L}\p{N}_]{1,9}$/gu;
const idWordPattern = /[\p{L}\p{N}_]+(?:[.-][\p{L}\p{N}_]+)*/gu;
/** A row with an id, and how messages refer to it. */
interface RecordRow {
	source: Source;
	/** The row's id, followed by the ids of the objects that contain it. */
	ids: readonly string[];
	/** Name of the id's member. Only rows with equal names are compared with each other. */
	group: string;
	lines: readonly string[];
	/** Whether the user typed an argument of the call that returned the row. */
	isAskedFor: boolean;
	/** Whether any message names the row. */
	isNamed: boolean;
	/** Whether a message names the row other than its call and the message after its result. */
	isNamedAgain: boolean;
	/** Whether the row was named again since the current request. */
	isNamedNow: boolean;
	/** Whether the row was returned since the current request. */
	isReturnedNow: boolean;
	/** Whether the row is the object that a call created or changed, other than by a command. */
	isChanged: boolean;
}

/** Lines of rows, by the result that contains them. */
export type RowLines = ReadonlyMap<Source, ReadonlySet<string>>;

/** The rows that matter little, and the rows that the current request is about. */
export interface RankedRows {
	minorLines: RowLines;
	/** The id of each row that the current request is about, by the row's lines. */
	currentIds: ReadonlyMap<Source, ReadonlyMap<string, string>>;
}

/**
 * Returns the rows that matter little: rows of `listPassedOverRows`, and rows that no message names by their id, by the
 * number at its end (`7091239` for `card_7091239`), by the id of a containing object, or in the row of another object.
 * Also returns the rows that were named since the current request. O(text), in slices.
 */
export function* rankRows(sources: readonly Source[], outcomes: Outcomes): SlicedTask<RankedRows> {
	const records = yield* readRecords(sources, outcomes);
	yield;
	const minorLines = new Map<Source, Set<string>>();
	const currentIds = new Map<Source, Map<string, string>>();
	if (records.length === 0) return { minorLines, currentIds };
	const groups = new Map<string, RecordRow[]>();
	for (const record of records) getOrInsert(groups, record.group, () => []).push(record);
	const isPlural = pluralPattern.test(sources.findLast(isCurrentRequest)?.text ?? '');
	const passedOverRows = new Set(
		[...groups.values()].flatMap((group) => listPassedOverRows(group, isPlural)),
	);
	const relatedNames = new Set<string>();
	for (const record of records)
		if (record.isNamed && !passedOverRows.has(record))
			for (const name of record.lines.flatMap(listIdNames)) relatedNames.add(name);
	const newestSources = new Map(records.flatMap(({ source, lines }) => lines.map((line) => [line, source])));
	const seenLines = new Set<string>();
	for (const record of records) {
		const { source, ids, lines, isNamed, isAskedFor, isNamedNow, isChanged } = record;
		const isPassedOver = passedOverRows.has(record) && !isChanged;
		const newLines = lines.filter((line) => !seenLines.has(line));
		for (const line of newLines) seenLines.add(line);
		const changedLines = newLines.length > 0 ? newLines : lines.slice(0, 1);
		const neededLines = isNamedNow ? lines : isChanged ? changedLines : [];
		if (neededLines.length > 0 && !isPassedOver) {
			const idsByLine = getOrInsert(currentIds, source, () => new Map<string, string>());
			for (const line of neededLines) idsByLine.set(line, ids[0] ?? '');
		}
		const isKnown =
			isNamed ||
			isAskedFor ||
			isChanged ||
			ids.some((id) => listNames(id).some((name) => relatedNames.has(name)));
		const isMinor = !isKnown || isPassedOver;
		const sourceLines = getOrInsert(minorLines, source, () => new Set<string>());
		for (const line of lines) if (isMinor || newestSources.get(line) !== source) sourceLines.add(line);
	}
	return { minorLines, currentIds };
}

/**
 * Returns the rows of a group that no message names again after their lookup, if messages do name other rows of the group
 * again. Rows that were looked up for the current request are included only if the request is about exactly one row.
 */
function listPassedOverRows(group: readonly RecordRow[], isPlural: boolean): RecordRow[] {
	if (!group.some((row) => row.isNamedAgain)) return [];
	const namedNow = new Set(group.flatMap((row) => (row.isNamedNow ? row.ids[0] : [])));
	const isAboutOne = namedNow.size === 1 && !isPlural;
	return group.filter(
		(row) => row.isNamed && !row.isNamedAgain && !row.isAskedFor && (isAboutOne || !row.isReturnedNow),
	);
}

function* readRecords(sources: readonly Source[], { byResult }: Outcomes): SlicedTask<RecordRow[]> {
	const rows: ReadRow[] = [];
	for (const [index, source] of sources.filter((one) => one.rows).entries()) {
		if (index % workLimits.resultsPerSlice === 0) yield;
		for (const row of readRows(source)) rows.push(row);
	}
	const names = new Set(yield* flatMapInSlices(rows, ({ ids }) => ids.flatMap(listNames)));
	if (names.size === 0) return [];
	const mentions = collectMentions(sources, names);
	yield;
	const typedNames = new Set(sources.filter(isTyped).flatMap(({ text }) => listIdNames(text)));
	const answers = findNextAnswers(sources);
	const requestStart = findRequestStart(sources);
	const askedBySource = new Map<Source, boolean>();
	const isAskedFor = (source: Source, call: ToolCall | undefined): boolean =>
		getOrInsert(
			askedBySource,
			source,
			() =>
				call !== undefined &&
				splitArguments(call).short.some(({ text }) => typedNames.has(text.replace(outerMarksPattern, ''))),
		);
	const indexes = new Map(sources.map((source, index) => [source, index]));
	const isInLastTurn = (source: Source): boolean => (indexes.get(source) ?? 0) >= requestStart;
	yield;
	const records = yield* mapInSlices(rows, (row): RecordRow => {
		const { call, caller, failed } = byResult.get(row.source) ?? {};
		const neighbors = [caller, answers.get(row.source)];
		const rowMentions = row.ids.flatMap((id) => listNames(id).flatMap((name) => mentions.get(name) ?? []));
		const otherMentions = rowMentions.filter((source) => !neighbors.includes(source));
		return {
			...row,
			isAskedFor: isAskedFor(row.source, call),
			isNamed: rowMentions.length > 0,
			isNamedAgain: otherMentions.length > 0,
			isNamedNow: otherMentions.some(isInLastTurn),
			isReturnedNow: isInLastTurn(row.source),
			isChanged: row.ids.length === 1 && failed === false && call !== undefined && isAction(call),
		};
	});
	yield;
	return mergeMentions(records);
}

/** Returns the rows, each with the mentions of all rows that describe the same object. */
function mergeMentions(records: readonly RecordRow[]): RecordRow[] {
	const nameObject = ({ group, ids }: RecordRow): string => [group, ...ids].join(' ');
	const namedAgain = new Set(records.filter((row) => row.isNamedAgain).map(nameObject));
	const namedNow = new Set(records.filter((row) => row.isNamedNow).map(nameObject));
	return records.map((row) => {
		const name = nameObject(row);
		return { ...row, isNamedAgain: namedAgain.has(name), isNamedNow: namedNow.has(name) };
	});
}

/** Whether a call may change objects of a service. Commands are no such calls. */
function isAction(call: ToolCall): boolean {
	return !isReadOnly(call) && !hasShellCommand(call);
}

type ReadRow = Pick<RecordRow, 'source' | 'ids' | 'group' | 'lines'>;

/** Returns the rows with ids of a JSON result. */
function readRows(source: Source): ReadRow[] {
	return (source.rows ?? []).flatMap(({ id, idName = '', parent, lines }) => {
		if (id === undefined || source.role !== 'tool') return [];
		const containingIds = parent.split(' ').filter((word) => word !== '');
		return [{ source, ids: [id, ...containingIds], group: idName, lines }];
	});
}

/** Returns the newest messages of the user and the agent that mention each name. */
function collectMentions(sources: readonly Source[], names: ReadonlySet<string>): Map<string, Source[]> {
	const mentions = new Map<string, Source[]>();
	for (const source of sources) {
		if (source.role !== 'assistant' && !isTyped(source)) continue;
		const texts = source.calls.flatMap((call) => splitArguments(call).short.map(({ text }) => text));
		for (const name of [source.text, ...texts].flatMap(listIdNames)) {
			if (!names.has(name)) continue;
			const recentMentions = getOrInsert(mentions, name, (): Source[] => []);
			if (recentMentions.at(-1) !== source) recentMentions.push(source);
			if (recentMentions.length > maxRecentMentions) recentMentions.shift();
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

/** Returns the agent's next message after each message of others. */
function findNextAnswers(sources: readonly Source[]): Map<Source, Source> {
	const answers = new Map<Source, Source>();
	let next: Source | undefined;
	for (const source of sources.toReversed()) {
		if (source.role === 'assistant') next = source;
		else if (next) answers.set(source, next);
	}
	return answers;
}

/** Returns the words by which a row with an id may be mentioned, without marks around them: `A7091` for `#A7091`. */
function listNames(markedId: string): string[] {
	const id = markedId.replace(outerMarksPattern, '');
	const number = id.split(/[^\p{L}\p{N}]/u).at(-1) ?? '';
	return number !== id && number.length >= minNumberLength && /\d/.test(number) ? [id, number] : [id];
}

function listIdNames(text: string): string[] {
	return (text.match(idWordPattern) ?? []).filter((word) => word.length >= minNameLength && /\d/.test(word));
}
