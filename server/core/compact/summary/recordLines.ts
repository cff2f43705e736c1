/** Records as a summary shows them, one a line: `K7Q2 (#12): cabin economy; changed #12 rebook (price 480 → 140)`. */

import type { ToolCall } from '../../../protocol/conversation.ts';
import { nameOf } from '../ledger/labels.ts';
import { quoteLine } from '../ledger/quote.ts';
import type { Source } from '../ledger/source.ts';
import { columnText } from '../thread/json.ts';
import { tuning } from '../tuning.ts';
import { idsNamedIn, type RecordChange, type SessionRecord } from './records.ts';
import { headingTokens, minLineTokens, type Room } from './room.ts';

/** Longer lines are no rows any more. UTF-16 units; `quoteLine` cuts at this. */
const maxLineLength = 1000;
/** So many records have what they have in common by kind, not by chance. */
const minRecordsAlike = 3;

/** Share that is left of the score of a row that nobody named, as a quotation. */
export const unpickedShare = 0.1;

/** What a summary shows of the records. */
export interface ShownRecords {
	lines: string[];
	/** Lines of results that are not shown: those of records that are shown whole, and those of outdated rows. */
	replaced: ReadonlySet<string>;
	/** Lines of records that nobody but a result ever named. */
	unpicked: ReadonlySet<string>;
	/** The calls that shown records name with their outcomes. */
	told: ReadonlySet<ToolCall>;
}

/**
 * Returns records as far as their share of the room goes, and takes their tokens: those that calls changed, then those that
 * the user named, a call asked for or a call used, the newest first. Each gets its changes, then its key columns, then all
 * of its columns.
 */
export function recordLines(
	room: Room,
	records: readonly SessionRecord[],
	{ sources, visible }: { sources: readonly Source[]; visible: readonly Source[] },
): ShownRecords {
	const seen = new Set(visible.map(({ seq }) => seq));
	const hidden = records.filter(({ source }) => !seen.has(source.seq)).toReversed();
	const changed = hidden.filter(({ changes }) => changes.length > 0);
	const others = hidden.filter(({ changes }) => changes.length === 0);
	const ordered = [
		...changed,
		...others.filter(({ isNamed }) => isNamed),
		...others.filter(({ isNamed, isAsked }) => isAsked && !isNamed),
		...others.filter(({ isNamed, isAsked, isPicked }) => isPicked && !isAsked && !isNamed),
	];
	const common = commonColumns(ordered);
	const levels = [
		(record: SessionRecord) => lineOf(record, [], ({ asked }) => asked),
		(record: SessionRecord) => lineOf(record, []),
		(record: SessionRecord) => lineOf(record, keyColumns(record, common.get(record.idName))),
		(record: SessionRecord) => lineOf(record, columnTexts(record)),
	];
	let left = Math.min(room.left, tuning.shares.records * room.whole) - headingTokens;
	const shown = new Map<SessionRecord, { text: string; tokens: number }>();
	for (const textOf of levels)
		for (const record of ordered) {
			if (left < minLineTokens) break;
			const text = textOf(record);
			if (text === '' || text.length > maxLineLength) continue;
			const before = shown.get(record)?.tokens ?? 0;
			const tokens = room.count(text) + 1;
			if (tokens - before > left) continue;
			left -= tokens - before;
			room.left -= tokens - before;
			shown.set(record, { text, tokens });
		}
	if (shown.size > 0) room.left -= headingTokens;
	const replaced = records.flatMap((one) => {
		const { text } = shown.get(one) ?? {};
		return [...one.outdated, ...one.lines.filter((line) => text !== undefined && isPartOf(line, text))];
	});
	const unpicked = unpickedOf(records, sources).flatMap(({ lines }) => lines);
	return {
		lines: records.flatMap((one) => shown.get(one)?.text ?? []),
		replaced: new Set(replaced),
		unpicked: new Set(unpicked),
		told: new Set([...shown.keys()].flatMap(({ changes }) => changes.map(({ outcome }) => outcome.call))),
	};
}

/** The records whose ids no user, no agent and no call ever named. O(text). */
function unpickedOf(records: readonly SessionRecord[], sources: readonly Source[]): SessionRecord[] {
	const left = records.filter(
		({ isNamed, isAsked, isPicked, changes }) => !(isNamed || isAsked || isPicked) && changes.length === 0,
	);
	if (left.length === 0) return [];
	const named = idsNamedIn(sources.filter(({ role }) => role !== 'tool'));
	return left.filter(({ id }) => !named.has(id));
}

/** Whether the columns of a line of a result are in the line of its record. */
function isPartOf(line: string, text: string): boolean {
	const columns = line.slice(line.indexOf(': ') + 2);
	return columns.split(/[,;] /).every((column) => text.includes(column));
}

/** A record with some of its columns and its changes; empty if there are neither. */
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
	const what = withinLine(details);
	const end = message === '' ? '' : `: ${message}`;
	return `${verb} ${nameOf(result)} ${call.name}${what === '' ? '' : ` (${what})`}${end}`;
}

/** As many of the texts as fit on a line, and how many there are besides. */
function withinLine(texts: readonly string[]): string {
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

/**
 * The columns that were changed, then those that tell a record from others, as many as fit on a line, in their order: the
 * first say what it is.
 */
function keyColumns({ fields, changes }: SessionRecord, common: ReadonlySet<string> = new Set()): string[] {
	const changed = new Set(changes.flatMap(({ columns }) => columns));
	const all = Object.entries(fields).map(([name, value]) => ({ name, text: columnText(name, value) }));
	const ranked = [
		...all.filter(({ name }) => changed.has(name)),
		...all.filter(({ name, text }) => !changed.has(name) && !common.has(text)),
	];
	let length = 0;
	const chosen = ranked.filter(({ text }) => {
		if (length + text.length > tuning.lengths.maxObject) return false;
		length += text.length + 2;
		return true;
	});
	return all.filter((one) => chosen.includes(one)).map(({ text }) => text);
}

/** By the name of the id, the columns that three or more records have alike. */
function commonColumns(records: readonly SessionRecord[]): Map<string, Set<string>> {
	const common = new Map<string, Set<string>>();
	const counts = new Map<string, number>();
	for (const record of records) {
		const { idName } = record;
		counts.set(idName, (counts.get(idName) ?? 0) + 1);
		const texts = new Set(columnTexts(record));
		const before = common.get(idName);
		common.set(idName, before ? new Set([...before].filter((text) => texts.has(text))) : texts);
	}
	return new Map([...common].filter(([idName]) => (counts.get(idName) ?? 0) >= minRecordsAlike));
}
