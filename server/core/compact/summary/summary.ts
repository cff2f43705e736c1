/** A summary in the session's own words. */

import type { Slices } from '../../slices.ts';
import { coverageOf } from '../ledger/coverage.ts';
import { addSource, type Ledger } from '../ledger/ledger.ts';
import { quoteLine } from '../ledger/quote.ts';
import { factValues } from '../ledger/rank.ts';
import type { Source } from '../ledger/source.ts';
import type { SummaryStyle } from '../policy.ts';
import { isDecision } from '../thread/cues.ts';
import { createFound, type Found } from '../thread/found.ts';
import { outcomeSteps } from '../thread/outcomes.ts';
import { presentTodos } from '../thread/plans.ts';
import { priceOf, wordsOf } from '../thread/price.ts';
import { Settled } from '../thread/settled.ts';
import { type UserWord, undoneWork, userWords } from '../thread/userWords.ts';
import { tuning } from '../tuning.ts';
import { checkLines } from './checks.ts';
import { type Entry, linesOf } from './entries.ts';
import { fileLists } from './fileLists.ts';
import { headLines } from './head.ts';
import { type Lines, type Section, withHeadings } from './headings.ts';
import { presentLines } from './presentLines.ts';
import { quotationSteps } from './quotations.ts';
import { recordLines } from './recordLines.ts';
import { recordsOf } from './records.ts';
import { removedLineSteps } from './removedLines.ts';
import { commitsByRequest } from './requests.ts';
import { createRoom, type Room, ratioOf, takeLines } from './room.ts';
import { ruleLines, speechOf, spokenEntries, visibleWords } from './spoken.ts';
import { threadSteps } from './threadEntries.ts';
import { type KnownOfSession, workStateOf } from './workState.ts';

/** Messages before the newest one that is summarized whose narrative is the current work. */
const currentMessages = 6;

/** What a summary may cost and what it is for. */
export interface SummaryOptions {
	/** The summary is never larger than this, by `count`. */
	budgetTokens: number;
	/** Tokens of a text. */
	count: (text: string) => number;
	/** Messages that stay in the history beside the summary: what they say is not said again. */
	visible?: readonly Source[];
	/** Tokens that the whole history comes down to, of which the user's words may take their share; the budget where absent. */
	targetTokens?: number;
	/** What the user wants kept above all, in plain words. */
	instructions?: string;
	/** The closing line: how hidden text is read again. */
	recallHint?: string;
	headings?: SummaryStyle;
	/** What was found in the texts before, to which what is found now is added. */
	found?: Found;
}

/** A summary and its size by the count that it was made with. */
export interface ExtractedSummary {
	text: string;
	tokens: number;
}

const defaultHint = '#N is message N of this session; context/original gives its full text.';

/**
 * What these messages said, out of their own words: the user's first, the plan and the checks as they stand, the
 * thread of what was said and done, then lines that hold the facts most likely to be needed again. Nothing is
 * invented; the same input gives the same text. Empty where nothing fits the budget. In steps of some
 * milliseconds; nothing may be added to the ledger between them.
 */
export function* summarySteps(
	ledger: Ledger,
	sources: readonly Source[],
	options: SummaryOptions,
): Slices<ExtractedSummary> {
	const { budgetTokens, count, visible = [], instructions, recallHint: closing = defaultHint } = options;
	const { found = createFound() } = options;
	const all = [...sources, ...visible].sort((a, b) => a.seq - b.seq);
	for (const source of all) addSource(ledger, source);
	yield;
	const outcomes = yield* outcomeSteps(all, found);
	const undone = undoneWork(all);
	yield;
	const removed = yield* removedLineSteps(all, found, undone);
	yield;
	const price = priceOf(wordsOf(sources), count);
	const commits = commitsByRequest(all, { outcomes, undone, found });
	yield;
	const words = userWords(sources);
	const allWords = visible.length === 0 ? words : userWords(all);
	yield;
	const speech = { ...speechOf(all, allWords, options.targetTokens ?? budgetTokens, count), commits };
	yield;
	const room = createRoom(budgetTokens - (speech.isTight ? 0 : count(closing) + 2), count, price);
	const newest = sources.at(-1)?.seq ?? 0;
	const sectionOf = (source: Source): Section => {
		if (source.recap) return 6;
		if (source.role === 'system' || (source.role === 'user' && source.injected)) return 2;
		return source.seq > newest - currentMessages ? 7 : 6;
	};
	const spoken = yield* spokenEntries(room, words, speech, found);
	yield;
	const known = { outcomes, undone, found, words: allWords, replaced: speech.replaced };
	const head = speech.isTight ? [] : headLines(room, yield* workStateOf(all, known));
	yield;
	const said = [visibleWords(visible), ...head, ...spoken.map(({ text }) => text)].join('\n');
	const lists = yield* listsOf(room, { sources, words, all }, said, known);
	yield;
	const values = factValues(ledger, all);
	yield;
	const records = recordLines(room, recordsOf(all, outcomes), visible);
	if (records.lines.length > 0) lists.set(14, records.lines);
	yield;
	const ratio = ratioOf(room, sources);
	const covered = coverageOf(ledger, visible);
	const common = {
		ledger,
		values,
		sources,
		covered,
		outcomes,
		undone,
		records,
		settled: new Settled(sources, words),
		removed: { has: (line: string) => removed.has(line) || records.replaced.has(line) },
		found,
		sectionOf,
		ratio,
		instructions,
		verbatim: new Set([...spoken, ...speech.replaced.keys(), ...speech.repeated].map(({ seq }) => seq)),
	};
	const listed = [...(lists.get(10) ?? []), ...records.lines];
	const thread = yield* threadSteps(room, {
		...common,
		visible,
		said: [said, ...listed].join('\n'),
	});
	const present = presentLines(room, all, visible, common);
	const quoted = yield* quotationSteps(room, {
		...common,
		told: [...spoken, ...thread, ...present],
		listed: [...lists.values()].flat(),
	});
	return yield* fitted([...spoken, ...thread, ...present, ...quoted], { head, lists }, options, closing);
}

/** The blocks that every summary has, each as far as its share of the room goes, in steps of some milliseconds. */
function* listsOf(
	room: Room,
	{ sources, words, all }: { sources: readonly Source[]; words: readonly UserWord[]; all: readonly Source[] },
	said: string,
	state: KnownOfSession,
): Slices<Lines> {
	const { whole, count } = room;
	const budgetOf = (share: number): number => share * whole + tuning.shares.minBlockTokens;
	const lists: Lines = new Map();
	const add = (section: Section, lines: readonly string[]): void => {
		if (lines.length > 0) lists.set(section, [...lines]);
	};
	const { outcomes, undone, found, replaced } = state;
	add(10, ruleLines(room, sources, said, { words, found, replaced }));
	yield;
	add(5, takeLines(room, 5, todoLines(all), budgetOf(tuning.shares.block)));
	yield;
	add(4, checkLines(room, outcomes, budgetOf(tuning.shares.block)));
	const files = fileLists(sources, budgetOf(tuning.shares.block), count, found, {
		outcomes,
		undone,
	});
	add(9, takeLines(room, 9, files, room.left));
	return lists;
}

/** The text with as many of the entries, worthiest first, as its budget holds. */
function* fitted(
	entries: readonly Entry[],
	{ head, lists }: { head: readonly string[]; lists: Lines },
	{ budgetTokens, count, headings = 'plain' }: SummaryOptions,
	closing: string,
): Slices<ExtractedSummary> {
	const kept = headings === 'blog' ? byTopic(entries) : [...entries];
	for (;;) {
		yield;
		const lines = linesOf(kept);
		for (const [section, own] of lists) lines.set(section, [...own, ...(lines.get(section) ?? [])]);
		const body = [...head, ...[...lines.values()].flat()];
		const closingLine = body.some((line) => aNumber.test(line)) ? closing : '';
		const text = [head.join('\n'), withHeadings(lines, headings, closingLine)].filter(Boolean).join('\n\n');
		const tokens = count(text);
		if (tokens <= budgetTokens) return body.length === 0 ? { text: '', tokens: 0 } : { text, tokens };
		if (kept.length === 0) return { text: '', tokens: 0 };
		for (let over = tokens - budgetTokens; over > 0 && kept.length > 0; )
			over -= count(kept.pop()?.text ?? '');
	}
}

/** A message that the closing line explains. */
const aNumber = /#\d/;

/** What is open, a line each; then what is done, in one. */
function todoLines(sources: readonly Source[]): string[] {
	const todos = presentTodos(sources);
	const done = todos.filter(({ state }) => state === 'done').map(({ text }) => quoteLine(text));
	const open = todos
		.filter(({ state }) => state !== 'done')
		.map(({ state, text }) => `- ${state === 'active' ? '(in progress) ' : ''}${quoteLine(text)}`);
	return done.length === 0
		? open
		: [...open, `- done, ${done.length} of ${todos.length}: ${done.join('; ')}`];
}

/** The agent's own words, as a label without a call or another speaker shows them. */
const agentsLabel = /^\[#\d+\]$/;

const asksTheUser =
	/\b(?:please|could you|can you|you (?:need|have|will have) to|you (?:should|must|may want to)|let me know|your (?:turn|call|decision))\b|ください|お願い|请您?|\b(?:bitte|Sie müssen|du musst)\b/i;

function topicOf({ text }: Entry): Section | undefined {
	if (asksTheUser.test(text)) return 13;
	if (/[?？]\s*$/.test(text)) return 12;
	return isDecision(text) ? 11 : undefined;
}

/** The entries, those of the thread under the topic that they are of. */
function byTopic(entries: readonly Entry[]): Entry[] {
	return entries.map((entry) => {
		const isThread = (entry.section === 6 || entry.section === 7) && agentsLabel.test(entry.label);
		const section = isThread ? topicOf(entry) : undefined;
		return section === undefined ? entry : { ...entry, section };
	});
}
