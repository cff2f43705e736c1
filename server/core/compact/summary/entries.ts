/** Renders the entries of a summary. */

import type { Source } from '../../analysis/message/source.ts';
import type { TextSpan } from '../../analysis/text/outline.ts';
import { quote } from '../../analysis/text/quote.ts';
import { introductionPattern, listItemPattern } from '../../analysis/text/sentences.ts';
import { isTyped } from '../../analysis/user/userStatements.ts';
import { getOrInsert } from '../../getOrInsert.ts';
import type { Seq } from '../../history/record.ts';
import { type MemberLines, MemberNames } from '../choice/memberNames.ts';
import type { LinesBySection, Section } from './headings.ts';

/** A text from a message in a summary. */
export interface SummaryEntry {
	/** Ordinal of the message. */
	seq: number;
	/** Position within the message; texts without a gap between them have consecutive numbers. */
	order: number;
	section: Section;
	/** The file that the text shows; entries of the same file are shown together. */
	file?: string;
	/** The label before the text: `[#12 Edit a.ts]`. */
	label: string;
	/** The label without the file, used directly after another entry of the same file. */
	shortLabel?: string;
	/** The text, already escaped for the summary. */
	text: string;
	/** Where the text is in its message, if the agent wrote it. */
	span?: TextSpan;
	/** Whether the text starts on a new line. */
	isOnNewLine: boolean;
	/** Whether a mark follows the text, because the rest of its rows or of its list is omitted. */
	isUnfinished?: boolean;
}

/** The label of an entry with the agent's text: `[#12]`, `[#12 thought]`. */
export const agentLabelPattern = /^\[#\d+(?: thought)?\]$/;

/** Maximum UTF-16 units that are searched to order the lines of one result. */
const maxSearchedUnits = 20_000_000;
/** Maximum occurrences of a line that are compared. */
const maxOccurrences = 50;

/** Mark in place of omitted text. */
const gap = '…';
/** Ends of sentences in scripts without spaces. */
const unspacedEndPattern = /[。！？；]$/;

/** Appends a text to a line. */
function appendText(line: string, text: string): string {
	return unspacedEndPattern.test(line) ? line + text : `${line} ${text}`;
}

/**
 * Numbers the entries of each result and each typed message by their position in the message, because several steps chose
 * them independently. Leaves a message's entries in a section unchanged if one of their texts is not in the message word
 * for word, or if the search would take long.
 * @param bySeq the messages by their ordinals
 */
export function orderByPosition(
	entries: readonly SummaryEntry[],
	bySeq: ReadonlyMap<Seq, Source>,
): SummaryEntry[] {
	const groups = new Map<string, SummaryEntry[]>();
	for (const entry of entries) getOrInsert(groups, `${entry.seq} ${entry.section}`, () => []).push(entry);
	const ordered = new Map<SummaryEntry, SummaryEntry>();
	for (const own of groups.values()) {
		const source = own[0] && bySeq.get(own[0].seq);
		if (!source || !(source.role === 'tool' || isTyped(source))) continue;
		if (own.length * source.text.length > maxSearchedUnits) continue;
		for (const [entry, order] of numberByPosition(source, own)) ordered.set(entry, { ...entry, order });
	}
	return entries.map((entry) => ordered.get(entry) ?? entry);
}

/** Returns the new `order` of a message's entries; empty if the message does not contain the text of each. */
function numberByPosition({ text }: Source, entries: readonly SummaryEntry[]): Map<SummaryEntry, number> {
	const placed: { entry: SummaryEntry; from: number; to: number }[] = [];
	let searchFrom = 0;
	for (const entry of [...entries].sort((a, b) => a.order - b.order)) {
		const lines = entry.text.split('\n').map((line) => line.trim().replace(/^\\/, ''));
		const first = findLine(text, lines[0] ?? '', searchFrom);
		const last = findLine(text, lines.at(-1) ?? '', first);
		if (first < 0 || last < 0) return new Map();
		const to = last + (lines.at(-1) ?? '').length;
		placed.push({ entry, from: first, to });
		searchFrom = to;
	}
	const numbers = new Map<SummaryEntry, number>();
	let order = 0;
	let end = 0;
	for (const { entry, from, to } of placed.sort((a, b) => a.from - b.from)) {
		order += isBlankBetween(text, end, from) ? 1 : 2;
		numbers.set(entry, order);
		end = to;
	}
	return numbers;
}

/** Returns the index at which a line begins at or after `from`, or else anywhere in the text; -1 if nowhere. */
function findLine(text: string, line: string, from: number): number {
	const starts = [Math.max(0, from), 0];
	const wholeIndex = starts.map((start) => findWhole(text, line, start)).find((at) => at >= 0);
	return wholeIndex ?? text.indexOf(line);
}

/** Returns the first occurrence that neither begins nor ends within a word; -1 if there is none among the first 50. */
function findWhole(text: string, line: string, from: number): number {
	let at = text.indexOf(line, from);
	for (let tries = 0; at >= 0 && tries < maxOccurrences; tries++) {
		const around = `${text[at - 1] ?? ' '}${text[at + line.length] ?? ' '}`;
		if (!/\w/.test(around)) return at;
		at = text.indexOf(line, at + 1);
	}
	return -1;
}

/** Whether a text has no words from one position, which is not its start, to another. */
export function isBlankBetween(text: string, from: number, to: number): boolean {
	return from > 0 && !/[\p{L}\p{N}]/u.test(text.slice(from, to));
}

function compareEntries(a: SummaryEntry, b: SummaryEntry): number {
	const [left, right] = [a.file ?? '', b.file ?? ''];
	if (left !== right) return left < right ? -1 : 1;
	return a.seq - b.seq || a.order - b.order;
}

/** Returns entries in which only the first of several rows with the same members shows the names of the members. */
export function shortenRows(entries: readonly SummaryEntry[], lines: MemberLines): readonly SummaryEntry[] {
	if (lines.size === 0) return entries;
	const memberNames = new MemberNames(lines);
	return [...entries].sort(compareEntries).map((entry) => {
		const text = memberNames.shorten(entry.text);
		memberNames.recordShown(entry.text);
		return { ...entry, text };
	});
}

/**
 * Returns entries in which the last one of a message says so if the first or the last rows of its result, or the next
 * items of its list, are omitted: the others would look like all there are.
 * @param bySeq the messages by their ordinals
 */
export function markUnfinished(
	entries: readonly SummaryEntry[],
	bySeq: ReadonlyMap<Seq, Source>,
): SummaryEntry[] {
	const groups = new Map<Seq, SummaryEntry[]>();
	for (const entry of [...entries].sort(compareEntries)) getOrInsert(groups, entry.seq, () => []).push(entry);
	const unfinished = new Set<SummaryEntry>();
	for (const [seq, own] of groups) {
		const source = bySeq.get(seq);
		if (!source) continue;
		const sorted = own.toSorted((a, b) => (a.span?.to ?? 0) - (b.span?.to ?? 0));
		const last = sorted.at(-1);
		if (last && (source.rows ? omitsRows(source, own) : endsWithinList(source, last))) unfinished.add(last);
	}
	return entries.map((entry) => (unfinished.has(entry) ? { ...entry, isUnfinished: true } : entry));
}

/** Whether the first or the last line of a result's objects is not shown. Other gaps have marks already. */
function omitsRows({ rows = [] }: Source, shown: readonly SummaryEntry[]): boolean {
	const lines = new Set(shown.flatMap(({ text }) => text.split('\n').map((line) => line.trim())));
	const objects = rows.some(({ id }) => id !== undefined) ? rows.filter(({ id }) => id !== undefined) : rows;
	const ends = [objects[0]?.lines[0], objects.at(-1)?.lines.at(-1)];
	return ends.some((line) => line !== undefined && !lines.has(quote(line).trim()));
}

/** Whether an entry is a list item or introduces a list, and the next line of its message is an item. */
function endsWithinList({ text }: Source, { span }: SummaryEntry): boolean {
	if (span === undefined) return false;
	const lines = text.slice(text.lastIndexOf('\n', span.to - 1) + 1).split('\n');
	const [line = '', next = ''] = lines.filter((one) => one.trim() !== '');
	return listItemPattern.test(next) && (listItemPattern.test(line) || introductionPattern.test(line));
}

/** Renders the lines of each section: messages in order, each with its label, and entries of the same file together. */
export function renderLinesBySection(entries: readonly SummaryEntry[]): LinesBySection {
	const lines: LinesBySection = new Map();
	const lastBySection = new Map<Section, SummaryEntry>();
	for (const entry of [...entries].sort(compareEntries)) {
		const body = lines.get(entry.section) ?? [];
		lines.set(entry.section, body);
		const before = lastBySection.get(entry.section);
		lastBySection.set(entry.section, entry);
		const text = `${entry.text.trimStart()}${entry.isUnfinished ? ` ${gap}` : ''}`;
		if (before?.seq !== entry.seq || before.label !== entry.label) {
			const isSameFile = entry.file !== undefined && entry.file === before?.file;
			body.push(`${(isSameFile && entry.shortLabel) || entry.label} ${text}`.trimStart());
			continue;
		}
		const follows = before.order + 1 === entry.order;
		if (!follows && !before.isUnfinished) body.push(`${body.pop()} ${gap}`);
		if (follows && !entry.isOnNewLine) body.push(appendText(body.pop() ?? '', text));
		else body.push(` ${text}`);
	}
	return lines;
}
