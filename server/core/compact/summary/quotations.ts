/** Quotes lines of results, arguments and prose with the facts most likely to be needed again. */

import type { ToolCall } from '../../../protocol/conversation.ts';
import { getOrInsert } from '../../getOrInsert.ts';
import type { Seq } from '../../history/record.ts';
import type { Slices } from '../../slices.ts';
import { type Coverage, coverSegment, coverText, resizeCoverage } from '../choice/coverage.ts';
import type { FactIndex } from '../../analysis/factIndex.ts';
import { labelOf, questionOf, shortLabelOf, undoneMark } from '../../analysis/labels.ts';
import {
	lengthOf,
	type Quotable,
	type QuotablePlace,
	QuotableReader,
	quotablesOf,
} from '../choice/quotable.ts';
import { quote } from '../../analysis/quote.ts';
import { factScore } from '../choice/rank.ts';
import { selectSteps } from '../choice/select.ts';
import { argumentsOf, type Source } from '../../analysis/source.ts';
import { type AnalysisCache, firstFileTouch } from '../../analysis/analyses.ts';
import { failureMark } from '../../analysis/calls.ts';
import { labelTokens } from '../choice/choose.ts';
import { cleanText } from '../../analysis/clean.ts';
import { findShellCommand } from '../../analysis/commands.ts';
import { isCoveredByOutcome, noMatch, type Outcomes } from '../../analysis/outcomes.ts';
import { isPlanCall } from '../../analysis/plans.ts';
import type { SettledWords } from '../../analysis/settled.ts';
import { tuning } from '../tuning.ts';
import type { Entry } from './entries.ts';
import type { Section } from './headings.ts';
import { expandCall, type NarrativeCall, narrativeCallsOf } from './narratedCalls.ts';
import { unnamedRowShare } from '../../analysis/outdatedRows.ts';
import type { RemovedLines } from '../../analysis/removedLines.ts';
import type { SummaryBudget } from './summaryBudget.ts';

/** Number of plain words assumed around each fact of a list. */
const wordsOfList = 1;
/** Number of plain words that make a fact understood. */
const groundingWords = 9;

export interface QuotationInput {
	factIndex: FactIndex;
	/** Per fact, the probability that it is needed again. */
	values: Float32Array;
	sources: readonly Source[];
	outcomes: Outcomes;
	/** Messages whose work was undone, with the message that undid it. */
	undone: ReadonlyMap<Source, Source>;
	removed: RemovedLines;
	/** Lines of rows that nobody named. */
	unnamed: ReadonlySet<string>;
	settled: SettledWords;
	/** The cached analyses of texts. */
	found: AnalysisCache;
	/** How well each fact is covered by what stays visible. */
	covered: Coverage;
	/** The entries that are already in the summary. */
	told: readonly Entry[];
	/** Ordinals of messages that are already shown in full. */
	verbatim: ReadonlySet<Seq>;
	/** Other lines of the summary. */
	listed: readonly string[];
	/** Returns the section of a message. */
	sectionOf: (source: Source) => Section;
	/** Tokens left relative to the size of what is summarized, from 0 to more than 1. */
	ratio: number;
}

/** Added to the position of quoted lines, so that they follow the narrative of their message. */
const afterNarrative = 100_000;

/** Whether a message adds nothing: the result of an edit, a recap, a mechanical failure, or one shown elsewhere. */
function isUninformative(source: Source, { outcomes, found }: QuotationInput): boolean {
	if (source.recap) return true;
	const outcome = outcomes.byResult.get(source);
	if (!outcome) return false;
	if (outcome.mechanical || outcome.message === noMatch || isCoveredByOutcome(outcome)) return true;
	return findShellCommand(outcome.call) === undefined && firstFileTouch(found, outcome.call)?.kind === 'edit';
}

/**
 * Whether a call is shown elsewhere: in the plan, in its answer's label or, for small summaries, in the list of files.
 */
function isListed(
	call: ToolCall,
	isArgument: boolean,
	isAnswered: boolean,
	{ ratio, found, outcomes, removed }: QuotationInput,
): boolean {
	// What a failed edit, plan or request contains does not exist.
	if (outcomes.byCall.get(call)?.failed && findShellCommand(call) === undefined) return true;
	if (!isArgument && argumentsOf(call).short.some(({ text }) => removed.has(text))) return true;
	if (isPlanCall(call) || (isAnswered && !isArgument && questionOf(call) !== undefined)) return true;
	const isAmple = ratio > tuning.narrative.ampleFromRatio;
	return !isAmple && !isArgument && firstFileTouch(found, call)?.kind === 'read';
}

/** Returns the words of the narrative by ordinal of the message. */
function wordsBySeq(told: readonly Entry[]): Map<number, string> {
	const words = new Map<number, string>();
	for (const { seq, text } of told) words.set(seq, `${words.get(seq) ?? ''} ${text}`);
	return words;
}

/** A word that is a name, a path or a figure, which no other word replaces. */
const namesSomething = /[\d_/\\=]|[a-z][A-Z]|\w\.\w/;

/** Whether the narrative of a message has all that a line names, and nearly all its words in any order. */
function isInNarrative(line: string, told: string | undefined): boolean {
	if (told === undefined) return false;
	const words = line.split(/[\s"'`,;:()。！？；：、（）]+|[.!?]$/).filter((word) => word !== '');
	const missing = words.filter((word) => !told.includes(word));
	return (
		missing.length <= (1 - tuning.selection.duplicateShare) * words.length &&
		!missing.some((word) => namesSomething.test(word))
	);
}

/** The calls that succeeded and were answered with rows of data. */
function answeredWithRows({ byResult }: Outcomes): Set<ToolCall> {
	const answers = [...byResult.values()].filter(({ result, failed }) => result.rows && !failed);
	return new Set(answers.map(({ call }) => call));
}

function entryOf(
	{ source, call, isArgument }: QuotablePlace,
	{ position }: Quotable,
	text: string,
	input: QuotationInput,
): Entry {
	const ofCall = isArgument || source.role === 'tool' ? call : undefined;
	const file = ofCall && firstFileTouch(input.found, ofCall)?.path;
	const mark = `${undoneMark(source, input.undone)}${failureMark(source, call, input.outcomes)}`;
	return {
		seq: source.seq,
		order: afterNarrative + position,
		section: source.rows ? 14 : file === undefined ? input.sectionOf(source) : 3,
		...(file !== undefined && { file }),
		label: `${labelOf(source, ofCall, file)}${mark}`,
		...(ofCall && { shortLabel: `${shortLabelOf(source, ofCall)}${mark}` }),
		text,
		ownLine: true,
	};
}

/** Returns the entries of the narrative by ordinal of the message. */
function entriesBySeq(told: readonly Entry[]): Map<number, Entry[]> {
	const entries = new Map<number, Entry[]>();
	for (const entry of told) entries.set(entry.seq, [...(entries.get(entry.seq) ?? []), entry]);
	return entries;
}

/**
 * Returns entries with the best lines to quote, within the budget, and takes their tokens. If a head of a call would be
 * quoted, the narrative's entry of the call is expanded instead. In slices.
 */
export function* quotationSteps(budget: SummaryBudget, input: QuotationInput): Slices<Entry[]> {
	const { factIndex, values, sources, outcomes, removed, told, verbatim } = input;
	const quotables = quotablesOf(factIndex, sources);
	const reader = new QuotableReader(sources);
	const covered = resizeCoverage(input.covered, factIndex);
	coverText(factIndex, input.listed.join('\n'), covered, wordsOfList);
	coverText(factIndex, told.map(({ text }) => text).join('\n'), covered, groundingWords);
	yield;
	const shown = new Set(told.flatMap(({ text }) => text.split('\n')).map((line) => line.trim()));
	const toldOf = wordsBySeq(told);
	const silent = new Map<Source, boolean>();
	const isSilent = (source: Source): boolean =>
		getOrInsert(silent, source, () => verbatim.has(source.seq) || isUninformative(source, input));
	// By call: whether its head, and whether its long arguments, are shown elsewhere.
	const listed = [new Map<ToolCall, boolean>(), new Map<ToolCall, boolean>()] as const;
	const answered = answeredWithRows(outcomes);
	const isToldElsewhere = ({ source, call, isArgument }: QuotablePlace): boolean => {
		if (source.role !== 'assistant' || call === undefined) return false;
		const calls = listed[isArgument ? 1 : 0];
		return getOrInsert(calls, call, () => isListed(call, isArgument, answered.has(call), input));
	};
	const ofThread = entriesBySeq(told);
	const toldCalls = new Map<Source, NarrativeCall[]>();
	const toldCallsIn = (source: Source): NarrativeCall[] =>
		getOrInsert(toldCalls, source, () => narrativeCallsOf(source, ofThread.get(source.seq)));
	const entries: Entry[] = [];
	const isUnnamed = quotables.map((one) => !!one.source.rows && input.unnamed.has(reader.textOf(one)));
	yield* selectSteps({
		length: quotables.length,
		groupOf: (index) => quotables[index]?.group ?? -1,
		minKey: 0,
		keyOf(index, isOpen) {
			const { segment } = quotables[index] as Quotable;
			const score = factScore(segment, values, covered) + tuning.facts.plainWord * segment.words;
			const cost = lengthOf(segment) + (isOpen ? 0 : tuning.facts.labelLength);
			return (isUnnamed[index] ? unnamedRowShare * score : score) / cost;
		},
		take(index, opensGroup) {
			const quotable = quotables[index] as Quotable;
			const place = reader.placeOf(quotable);
			if (isSilent(place.source) || isToldElsewhere(place)) return 'not shown';
			const lines = cleanText(reader.textOf(quotable)).split('\n');
			if (!place.isArgument && lines.some((line) => input.settled.has(place.source, line)))
				return 'not shown';
			let fresh = lines
				.filter((line) => line !== '' && !removed.has(line) && !shown.has(line))
				.filter(
					(line) => place.source.role !== 'assistant' || !isInNarrative(line, toldOf.get(place.source.seq)),
				);
			const ofCalls = place.isArgument ? [] : toldCallsIn(place.source);
			const wanted = ofCalls.find(({ read }) => fresh.some((line) => read.includes(line)));
			if (wanted) {
				if (!expandCall(wanted, budget)) return 'too large';
				fresh = fresh.filter((line) => !wanted.read.includes(line));
				if (fresh.length === 0) {
					coverSegment(quotable.segment, covered);
					return 'taken';
				}
			}
			if (fresh.length === 0) return 'not shown';
			const text = quote(fresh.join('\n'));
			const tokens = budget.count(text) + 1 + (opensGroup ? labelTokens + 2 : 0);
			if (tokens > budget.left) return 'too large';
			budget.left -= tokens;
			for (const line of fresh) shown.add(line);
			coverSegment(quotable.segment, covered);
			entries.push(entryOf(place, quotable, text, input));
			return 'taken';
		},
	});
	return entries;
}
