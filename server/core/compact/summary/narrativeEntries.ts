/** The narrative of a session in a summary. */

import { firstFileTouch, foundWords } from '../../analysis/analyses.ts';
import { callLine, callOutcome, failureMark } from '../../analysis/calls.ts';
import { candidateSteps, type PlacedCandidate } from '../../analysis/candidates.ts';
import { isReadOnly } from '../../analysis/commands.ts';
import type { FactIndex } from '../../analysis/factIndex.ts';
import type { KnownOfCalls } from '../../analysis/filesTouched.ts';
import { labelOf, undoneMark } from '../../analysis/labels.ts';
import { reportedLines } from '../../analysis/outcomes.ts';
import { quote } from '../../analysis/quote.ts';
import type { RemovedLines } from '../../analysis/removedLines.ts';
import { factsIn } from '../../analysis/scan.ts';
import { introducing } from '../../analysis/sentences.ts';
import type { SettledWords } from '../../analysis/settled.ts';
import type { Source } from '../../analysis/source.ts';
import { wordsIn } from '../../analysis/words.ts';
import type { Seq } from '../../history/record.ts';
import { forEachInSlices, type SlicedTask } from '../../slices.ts';
import { chooseSteps, labelTokens, type NeededFacts } from '../choice/choose.ts';
import { type Coverage, resizeCoverage } from '../choice/coverage.ts';
import { tuning } from '../tuning.ts';
import type { Entry } from './entries.ts';
import type { Section } from './headings.ts';
import { isSmall, minLineTokens, proseBudget, proseCostFactor, type SummaryBudget } from './summaryBudget.ts';

/** Number of letters at the ends of two texts that are compared, and the range in which they are searched. */
const comparedLetters = 6;
const comparedRange = 24;
/** All sentences of a text except the last. */
const sentencesBefore = /^[\s\S]*(?:[.!?](?=\s)|[。！？])/;

export interface NarrativeInput extends KnownOfCalls {
	factIndex: FactIndex;
	/** Per fact, the probability that it is needed again. */
	values: Float32Array;
	sources: readonly Source[];
	visible: readonly Source[];
	removed: RemovedLines;
	/** Lines of the rows whose ids no message mentions. */
	unnamed: ReadonlySet<string>;
	settled: SettledWords;
	/** How well each fact is covered by what stays visible. */
	covered: Coverage;
	/** Text that is already in the summary. */
	said: string;
	/** Ordinals of messages that are already shown in full. */
	verbatim: ReadonlySet<Seq>;
	sectionOf: (source: Source) => Section;
	/** Tokens left relative to the size of what is summarized, from 0 to more than 1. */
	ratio: number;
	/** What to keep above all, in the user's words. */
	instructions?: string;
}

/** Returns the words that the reader already has. */
function knownWords({ visible, said, found }: NarrativeInput): Set<number> {
	const known = new Set(wordsIn(said));
	for (const source of visible) for (const word of foundWords(found, source)) known.add(word);
	return known;
}

/** Returns the entries of the narrative, and takes their tokens from the budget. In slices. */
export function* narrativeSteps(budget: SummaryBudget, input: NarrativeInput): SlicedTask<Entry[]> {
	const { sources } = input;
	const all = yield* candidateSteps(sources, input, ({ seq }) => input.verbatim.has(seq));
	const placed = all.filter(({ message, candidate: { text } }) => {
		const source = sources[message] as Source;
		return (
			!input.settled.has(source, text) &&
			!(source.rows && (input.removed.has(text) || input.unnamed.has(text)))
		);
	});
	yield;
	const known = knownWords(input);
	const price = proseCostFactor(budget, sources);
	const { ampleFromRatio, tightBelowRatio } = tuning.narrative;
	const { narrative, tightNarrative } = tuning.shares;
	const omitsMost = input.ratio < tightBelowRatio && sources.some(({ role }) => role === 'tool');
	const allowed = proseBudget(budget, omitsMost ? tightNarrative : narrative, price);
	const isAmple = input.ratio > ampleFromRatio;
	const share = isAmple ? tuning.narrative.ampleShare : tuning.narrative.smallShare;
	const common = {
		known,
		messages: sources.length,
		count: budget.count,
		wish: new Set(wordsIn(input.instructions ?? '')),
		...(!isAmple && { needed: yield* neededSteps(input, placed) }),
	};
	const isTight = price > 1 && isSmall(budget) && allowed * (1 - share) < minLineTokens;
	const ofStatements = isTight ? allowed : allowed * share;
	const ofKind = (kind: PlacedCandidate['candidate']['kind']): PlacedCandidate[] =>
		placed.filter(({ candidate }) => candidate.kind === kind);
	const statements = yield* chooseSteps({
		...common,
		candidates: ofKind('statement'),
		budgetTokens: ofStatements,
	});
	const budgetTokens = allowed - ofStatements + statements.left;
	const told = statements.chosen.flatMap((one, index) => {
		const isLast = statements.chosen[index + 1]?.message !== one.message;
		return isLast ? withOutcome(one, input) : [one];
	});
	const reported = new Set(told.flatMap(({ candidate }) => reportedLines(candidate.text)));
	const resultLines = yield* chooseSteps({
		...common,
		candidates: ofKind('resultLine').filter(({ candidate }) => !reported.has(candidate.text)),
		budgetTokens,
	});
	const entries = [...told, ...resultLines.chosen].flatMap((one) => entryOf(one, input));
	const text = entries.map((entry) => entry.text).join('\n');
	budget.left -= budget.count(text) + labelTokens * new Set(entries.map(({ seq }) => seq)).size;
	return entries;
}

/** Whether a message ends with this text, which introduces its calls. */
function announcesCalls(text: string, { role, calls, text: all }: Source): boolean {
	if (role !== 'assistant' || calls.length === 0 || !introducing.test(text)) return false;
	const [own, end] = [text, all].map((one) => one.trimEnd().slice(-comparedRange)) as [string, string];
	return introducing.test(end) && lastLettersOf(own) === lastLettersOf(end);
}

/** Returns the letters and digits at the end of a text, which may be marked up. */
function lastLettersOf(text: string): string {
	return text.replace(/[^\p{L}\p{N}]/gu, '').slice(-comparedLetters);
}

/** Returns a message's text without a last sentence that only announces calls that read. */
export function withoutAnnouncement(text: string, source: Source): string {
	if (!announcesCalls(text, source) || !source.calls.every(isReadOnly)) return text;
	return sentencesBefore.exec(text)?.[0] ?? '';
}

/** Returns the last statement of a message: if it announces calls, which are not shown, with their outcome. */
function withOutcome(one: PlacedCandidate, { sources, outcomes }: NarrativeInput): PlacedCandidate[] {
	const { text } = one.candidate;
	const source = sources[one.message];
	const ends = source?.calls.map((call) => outcomes.byCall.get(call)) ?? [];
	const end = ends.find((each) => each?.failed) ?? ends.at(-1);
	const isCall = source?.calls.some((call) => text.startsWith(callLine(call)));
	if (!source || !end || isCall || ends.includes(undefined) || !announcesCalls(text, source)) return [one];
	const said = withoutAnnouncement(text, source).replace(introducing, callOutcome(end) || ' → done');
	return said.length < tuning.lengths.minSentence
		? []
		: [{ ...one, candidate: { ...one.candidate, text: said } }];
}

/** Returns the needed facts, and sets the facts of each candidate. In slices. */
function* neededSteps(
	{ factIndex, values, covered }: NarrativeInput,
	placed: readonly PlacedCandidate[],
): SlicedTask<NeededFacts> {
	yield* forEachInSlices(placed, ({ candidate }) => {
		candidate.facts ??= factsIn(factIndex.facts, candidate.text);
	});
	return { values, covered: resizeCoverage(covered, factIndex) };
}

function entryOf({ candidate, message, order }: PlacedCandidate, input: NarrativeInput): Entry[] {
	const { sources, outcomes, undone, removed, found, sectionOf } = input;
	const source = sources[message];
	if (!source) return [];
	const text = candidate.text
		.split('\n')
		.filter((line) => !removed.has(line))
		.join('\n');
	if (text === '') return [];
	const call = outcomes.byResult.get(source)?.call;
	const path = call && firstFileTouch(found, call)?.path;
	const label = `${labelOf(source, call, path)}${undoneMark(source, undone)}${failureMark(source, call, outcomes)}`;
	return [
		{
			seq: source.seq,
			order,
			section: source.rows ? 14 : sectionOf(source),
			label,
			text: quote(text).trim(),
			ownLine: candidate.ownLine,
		},
	];
}
