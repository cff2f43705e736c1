/** Renders records, one on each line: `K7Q2 (#12): cabin economy; changed #12 rebook (price 480 → 140)`. */

import type { ToolCall } from '../../../protocol/conversation.ts';
import { nameOf } from '../facts/labels.ts';
import { quoteLine } from '../facts/quote.ts';
import type { Source } from '../facts/source.ts';
import { columnText } from '../narrative/json.ts';
import { tuning } from '../tuning.ts';
import { type RecordChange, rankOf, type SessionRecord } from './records.ts';
import { headingTokens, minLineTokens, type SummaryBudget } from './summaryBudget.ts';

/** Longer lines are not shown as rows. UTF-16 units; `quoteLine` truncates at this length. */
const maxLineLength = 1000;
/** Rank of records that calls changed, above all others. */
const changedRank = 9;
/** Share of its score that a quoted row keeps if nobody named its record. */
export const unnamedRecordScoreShare = 0.1;

/** The records that a summary shows. */
export interface ShownRecords {
	lines: string[];
	/** Lines of results that are not quoted, because their record is shown in full or they are outdated. */
	replaced: ReadonlySet<string>;
	/** Lines of records that only results ever named. */
	unpicked: ReadonlySet<string>;
	/** The calls that shown records report with their outcomes. */
	told: ReadonlySet<ToolCall>;
}

/**
 * Returns records within their share of the budget, and takes their tokens. Those that calls changed come first, then
 * those that the user named and related ones, then those that a call asked for or used, the newest first. Each gets its
 * changes; then the first ones get all columns, the others their key columns, and at last all of theirs.
 */
export function recordLines(
	budget: SummaryBudget,
	records: readonly SessionRecord[],
	visible: readonly Source[],
): ShownRecords {
	const seen = new Set(visible.map(({ seq }) => seq));
	const hidden = records.filter(({ source }) => !seen.has(source.seq)).toReversed();
	const wantOf = ({ rank, changes }: SessionRecord): number => (changes.length > 0 ? changedRank : rank);
	const ordered = hidden.filter((one) => wantOf(one) > 0).sort((a, b) => wantOf(b) - wantOf(a));
	const levels = [
		(record: SessionRecord) => lineOf(record, [], ({ asked }) => asked),
		(record: SessionRecord) => lineOf(record, []),
		(record: SessionRecord) =>
			wantOf(record) >= rankOf.belonging ? lineOf(record, columnTexts(record)) : '',
		(record: SessionRecord) => lineOf(record, keyColumns(record)),
		(record: SessionRecord) => lineOf(record, columnTexts(record)),
	];
	let left = Math.min(budget.left, tuning.shares.records * budget.totalTokens) - headingTokens;
	const shown = new Map<SessionRecord, { text: string; tokens: number }>();
	for (const textOf of levels)
		for (const record of ordered) {
			if (left < minLineTokens) break;
			const text = textOf(record);
			if (text === '' || text.length > maxLineLength) continue;
			const before = shown.get(record)?.tokens ?? 0;
			const tokens = budget.count(text) + 1;
			if (tokens <= before || tokens - before > left) continue;
			left -= tokens - before;
			budget.left -= tokens - before;
			shown.set(record, { text, tokens });
		}
	if (shown.size > 0) budget.left -= headingTokens;
	const replaced = records.flatMap((one) => {
		const { text } = shown.get(one) ?? {};
		return [...one.outdated, ...one.lines.filter((line) => text !== undefined && isPartOf(line, text))];
	});
	const unpicked = records.flatMap((one) => (wantOf(one) === 0 ? one.lines : []));
	return {
		lines: records.flatMap((one) => shown.get(one)?.text ?? []),
		replaced: new Set(replaced),
		unpicked: new Set(unpicked),
		told: new Set([...shown.keys()].flatMap(({ changes }) => changes.map(({ outcome }) => outcome.call))),
	};
}

/** Whether all columns of a result's line are in its record's line. */
function isPartOf(line: string, text: string): boolean {
	const columns = line.slice(line.indexOf(': ') + 2);
	return columns.split(/[,;] /).every((column) => text.includes(column));
}

/** Renders a record with some of its columns and its changes; empty if it has neither. */
function lineOf(
	{ id, parent, context, source, changes }: SessionRecord,
	columns: readonly string[],
	detailsOf = ({ asked, changed }: RecordChange): string[] => [...asked, ...changed],
): string {
	if (columns.length === 0 && changes.length === 0) return '';
	const about = [...(columns.length === 0 ? [] : [nameOf(source)]), ...context.values()].join(' ');
	const own = columns.length === 0 ? [] : [columns.join(', ')];
	const all = [...own, ...changes.map((change) => changeText(change, detailsOf(change)))];
	return quoteLine(`${parent} ${id}${about === '' ? '' : ` (${about})`}: ${all.join('; ')}`);
}

function changeText({ outcome, changed }: RecordChange, details: readonly string[]): string {
	const { call, result, failed, stopped, message } = outcome;
	const verb = stopped ? 'refused' : failed ? 'failed' : changed.length > 0 ? 'changed' : 'done';
	const what = fitOnLine(details);
	const end = message === '' ? '' : `: ${message}`;
	return `${verb} ${nameOf(result)} ${call.name}${what === '' ? '' : ` (${what})`}${end}`;
}

/** Joins as many texts as fit on a line, with the number of those left out. */
function fitOnLine(texts: readonly string[]): string {
	let length = 0;
	const fitting = texts.filter((text) => {
		length += text.length + 2;
		return length <= tuning.lengths.maxSegment;
	});
	const more = texts.length - fitting.length;
	return [...fitting, ...(more > 0 ? [`${more} more`] : [])].join(', ');
}

function columnTexts({ fields }: SessionRecord): string[] {
	return Object.entries(fields).map(([name, value]) => columnText(name, value));
}

/** Returns as many columns as fit on a line, in order: the first ones describe a record best. */
function keyColumns(record: SessionRecord): string[] {
	let length = 0;
	return columnTexts(record).filter((text) => {
		if (length + text.length > tuning.lengths.maxObject) return false;
		length += text.length + 2;
		return true;
	});
}
