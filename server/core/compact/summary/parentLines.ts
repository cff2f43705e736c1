/** Shows the headings and list items that quoted lines are under. */

import { createAnalysisCache, getOutline } from '../../analysis/message/analyses.ts';
import type { Source } from '../../analysis/message/source.ts';
import { isKeyLine, type OutlineLine, type TextSpan } from '../../analysis/text/outline.ts';
import { quoteLine, truncateWithMark } from '../../analysis/text/quote.ts';
import { introductionPattern, removeLastSentence } from '../../analysis/text/sentences.ts';
import { getOrInsert } from '../../getOrInsert.ts';
import type { Seq } from '../../history/record.ts';
import { isBlankBetween, type SummaryEntry } from './entries.ts';

/** Maximum length of a shown parent. UTF-16 units. */
const maxParentLength = 80;
/** Maximum number of parents that are shown at once: the nearest ones. An introduction is clear on its own. */
const maxParents = 2;
/** Length at the start of a sentence that is compared with its message. UTF-16 units. */
const comparedLength = 20;
/** The bold name at the start of a line: `- **Branch** - the one that …`. */
const boldNamePattern = /^(?:\S{1,4}\s+)?\*\*[^*]{1,70}\*\*/;

/**
 * Returns entries in which the sentences and lines of each message of the agent or the user are in their order. If a list
 * item or row is the first that is shown of its message, or would seem to belong to the wrong heading or list item, its own
 * one precedes it, with its number or id if it has one. Sentences need none.
 * @param bySeq the messages by their ordinals
 */
export function addParentLines(
	entries: readonly SummaryEntry[],
	bySeq: ReadonlyMap<Seq, Source>,
	cache = createAnalysisCache(),
): SummaryEntry[] {
	const groups = new Map<string, SummaryEntry[]>();
	const spoken = new Set(entries.flatMap(({ span, seq }) => (span ? [seq] : [])));
	for (const entry of entries)
		if (spoken.has(entry.seq)) getOrInsert(groups, `${entry.seq} ${entry.section}`, () => []).push(entry);
	const placed = new Map<SummaryEntry, SummaryEntry>();
	for (const own of groups.values()) {
		const source = bySeq.get(own[0]?.seq ?? -1);
		placeEntries(own, source?.text ?? '', source ? getOutline(cache, source) : [], placed);
	}
	return entries.map((entry) => placed.get(entry) ?? entry);
}

/** Adds the entries of a message to `placed`, with their order and the parents that they need. Calls follow the text. */
function placeEntries(
	entries: readonly SummaryEntry[],
	text: string,
	outline: readonly OutlineLine[],
	placed: Map<SummaryEntry, SummaryEntry>,
): void {
	const startOf = ({ span }: SummaryEntry): number => span?.from ?? Number.MAX_SAFE_INTEGER;
	const sorted = entries.toSorted((a, b) => startOf(a) - startOf(b) || a.order - b.order);
	const context = new ReadingContext(outline);
	let order = 0;
	for (const [index, entry] of sorted.entries()) {
		order += followsOn(sorted[index - 1], entry, text) ? 1 : 2;
		const { span } = entry;
		const start = span ? findStart(entry, span, text) : 0;
		const parents = span ? context.read(span, start) : [];
		const names = parents.map((one, at) => {
			const name = renderParent(one);
			const isListed = one.kind === 'introduction' || one.kind === 'item';
			const isOmitted =
				one.to > start
					? countLetters(one.text) > countLetters(name)
					: !isBlankBetween(text, one.to, parents[at + 1]?.from ?? start);
			return isListed && isOmitted && !name.endsWith('…') ? `${name} …` : name;
		});
		const isOnNewLine = entry.isOnNewLine || parents.length > 0;
		placed.set(entry, { ...entry, order, text: [...names, entry.text.trimStart()].join('\n '), isOnNewLine });
	}
}

function countLetters(text: string): number {
	return text.match(/[\p{L}\p{N}]/gu)?.length ?? 0;
}

/** Returns where an entry's text starts in a message. Its span is that of the whole line. */
function findStart(entry: SummaryEntry, { from, to }: TextSpan, text: string): number {
	if (entry.isOnNewLine) return from;
	const start = text.indexOf(entry.text.trim().slice(0, comparedLength), from);
	return start < 0 ? to : Math.min(start, to);
}

/** Whether no words of a message are between an entry and the entry before it. */
function followsOn(before: SummaryEntry | undefined, entry: SummaryEntry, text: string): boolean {
	if (!before?.span || !entry.span || entry.span.from < before.span.to)
		return entry.order - (before?.order ?? 0) === 1;
	return isBlankBetween(text, before.span.to, findStart(entry, entry.span, text));
}

/** What a reader of some lines of a text knows about the headings and list items above these lines. */
class ReadingContext {
	readonly #outline: readonly OutlineLine[];
	/** Lines that were read, and parents that the reader need not know. */
	readonly #known = new Set<OutlineLine>();
	#index = 0;
	#last: OutlineLine | undefined;

	constructor(outline: readonly OutlineLine[]) {
		this.#outline = outline;
	}

	/**
	 * Reads the next lines. Returns their unknown parents if the lines are a list item that the lines before do not explain,
	 * with the item whose beginning was left out.
	 * @param start the position of the first words that are read
	 */
	read({ from, to }: TextSpan, start: number): OutlineLine[] {
		const outline = this.#outline;
		while ((outline[this.#index]?.to ?? Number.POSITIVE_INFINITY) <= from) this.#index++;
		const line = outline[this.#index];
		const parents = listParents(line);
		const unknown = parents.filter((one) => !this.#known.has(one));
		const before = this.#last ? [...listParents(this.#last), this.#last] : [];
		// Further text of an item names no item either.
		const isListed = /^(?:item|row)$/.test(line?.kind ?? '') || line?.parent?.kind === 'item';
		const isOfOther = before.some(
			(one) => one.kind !== 'row' && one.kind !== 'text' && !parents.includes(one),
		);
		const isBelowUnknown = unknown.some(({ kind }) => kind !== 'introduction');
		const isTorn = isListed && (isOfOther || isBelowUnknown || before.length === 0);
		const shown = isTorn ? unknown.slice(unknown.at(-1)?.kind === 'introduction' ? -1 : -maxParents) : [];
		if (line?.kind === 'item' && !this.#known.has(line) && before.length > 0) {
			const text = textBefore(line, start);
			if (/\p{L}{2}/u.test(text)) shown.push({ ...line, text });
		}
		const named = shown.flatMap((one) => (one.key && one.key !== line ? [one, one.key] : [one]));
		for (const one of [...parents, ...named]) this.#known.add(one);
		for (let index = this.#index; (outline[index]?.from ?? to) < to; index++) {
			this.#last = outline[index] as OutlineLine;
			this.#known.add(this.#last);
		}
		return named;
	}
}

/** Returns the part of a line before a position, without punctuation at its end. */
function textBefore({ text, to }: OutlineLine, position: number): string {
	return text.slice(0, Math.max(0, position - (to - text.length))).replace(/[\s.!?:;,。！？—–-]{1,9}$/, '');
}

/** Returns the parents of a line, outermost first. */
function listParents(line: OutlineLine | undefined): OutlineLine[] {
	const parents: OutlineLine[] = [];
	for (let one = line?.parent; one; one = one.parent) parents.unshift(one);
	return parents;
}

/** Returns the last sentence of an introduction, or a heading or list item shortened to its name, with a colon at its end. */
function renderParent({ text, kind }: OutlineLine): string {
	const plain =
		kind === 'introduction'
			? text.slice(removeLastSentence(text).length).trimStart()
			: text.replace(/^#{1,6}\s+/, '');
	const isWhole = introductionPattern.test(plain) || isKeyLine(plain);
	if (isWhole && plain.length <= maxParentLength) return quoteLine(plain);
	const name = boldNamePattern.exec(plain)?.[0] ?? plain;
	return name.length > maxParentLength
		? quoteLine(truncateWithMark(name, maxParentLength))
		: `${quoteLine(name.replace(/[:：](?=\*\*$)/, ''))}:`;
}
