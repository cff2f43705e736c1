/** Chooses the candidates of the narrative greedily, by gain per length, until the budget is used. */

import type { Candidate } from '../../analysis/message/analyses.ts';
import type { PlacedCandidate } from '../../analysis/passages/candidates.ts';
import type { SlicedTask } from '../../slices.ts';
import { tuning } from '../tuning.ts';
import { type Coverage, markCovered } from './coverage.ts';
import { type MemberLines, MemberNames } from './memberNames.ts';
import { selectGreedily } from './select.ts';

/** Candidates at this score or below are never shown. */
const minScore = 0.02;
/** Minimum number of words that near duplicates share. */
const minSharedWords = 3;
/** Factor for the score of a needed candidate, whose known words do not count against it. */
const neededFactor = 4;
/** Length added to the first needed line of a row, so that short ones precede, and second lines follow. In Latin letters. */
const neededLength = 60;
/** Share of the budget up to which needed candidates are preferred. */
const maxNeededShare = 0.75;
/** Approximate tokens of the label of a message. */
export const labelTokens = 6;

export interface ChoiceInput {
	candidates: readonly PlacedCandidate[];
	/** Words that the reader already knows. The choice adds the words of chosen candidates. */
	knownWords: Set<number>;
	/** Words that the user asked to keep. */
	wishedWords: ReadonlySet<number>;
	/** Number of messages. The age of a candidate is its distance from the last message. */
	messageCount: number;
	budgetTokens: number;
	/** Returns the tokens of a text. */
	count: (text: string) => number;
	/** Lines of data rows. The names of their members are counted once, because the summary shows them once. */
	memberLines: MemberLines;
	/** Values of the facts that the agent will probably need; if absent, candidates are scored by their words alone. */
	factValues?: FactValues;
}

/** The expected value of facts. */
export interface FactValues {
	/** The probability that each fact is needed again, by the number of the fact in the index. */
	values: Float32Array;
	/** How well each fact is already covered. The choice adds the facts of chosen candidates. */
	coverage: Coverage;
}

/** Expected value of a candidate's facts that are not covered yet. */
function computeMissingValue({ facts = [] }: Candidate, { values, coverage }: FactValues): number {
	let sum = 0;
	for (const fact of facts) sum += (values[fact] ?? 0) * (1 - (coverage[fact] ?? 0));
	return sum;
}

/** Returns the share of a candidate's score that remains, given its share of new words. */
function computeNovelty({ words }: Candidate, knownWords: ReadonlySet<number>): number {
	const { knownWordsShare } = tuning.selection;
	if (words.length === 0) return knownWordsShare;
	let newCount = 0;
	for (const word of words) if (!knownWords.has(word)) newCount++;
	return knownWordsShare + ((1 - knownWordsShare) * newCount) / words.length;
}

/** Returns each candidate's score, weighted by its age and by words that the user asked to keep. */
function computeScores({ candidates, messageCount, wishedWords }: ChoiceInput): Float64Array {
	const { minRecency, recencyHalfLife } = tuning.selection;
	const scores = new Float64Array(candidates.length);
	let [recency, lastIndex] = [0, -1];
	candidates.forEach(({ candidate, messageIndex, weight }, index) => {
		const wishedCount =
			wishedWords.size === 0 ? 0 : candidate.words.filter((word) => wishedWords.has(word)).length;
		const age = messageCount - 1 - messageIndex;
		if (messageIndex !== lastIndex) recency = minRecency + (1 - minRecency) * 2 ** (-age / recencyHalfLife);
		lastIndex = messageIndex;
		scores[index] = weight * recency * (1 + wishedCount);
	});
	return scores;
}

/** Whether a chosen candidate of the same message has nearly the same words. */
function isNearDuplicate({ words, isRow }: Candidate, others: readonly Candidate[] = []): boolean {
	if (isRow) return false;
	return others.some((other) => {
		const sharedCount = words.filter((word) => other.words.includes(word)).length;
		return (
			sharedCount >= minSharedWords &&
			sharedCount >= tuning.selection.duplicateShare * Math.min(words.length, other.words.length)
		);
	});
}

/** Returns the chosen candidates without duplicates, the most valuable ones first, and the remaining tokens. */
export function* chooseCandidates(
	input: ChoiceInput,
): SlicedTask<{ chosen: PlacedCandidate[]; remainingTokens: number }> {
	const { candidates, knownWords, count, factValues } = input;
	const scores = computeScores(input);
	/** Total length of the candidates chosen from each message so far. */
	const takenLengths = new Float64Array(input.messageCount);
	const texts = new Set<string>();
	const memberNames = new MemberNames(input.memberLines);
	const byMessage = new Map<number, Candidate[]>();
	/** Ids of the needed rows of which a line is chosen. */
	const shownRows = new Set<string>();
	const chosen: PlacedCandidate[] = [];
	let remainingTokens = input.budgetTokens;
	let neededTokens = 0;
	const maxNeededTokens = maxNeededShare * input.budgetTokens;
	yield* selectGreedily({
		length: candidates.length,
		getGroup: (index) => candidates[index]?.messageIndex ?? -1,
		minKey: minScore,
		computeKey(index, isOpen) {
			const { candidate, messageIndex, neededRow } = candidates[index] as PlacedCandidate;
			const { labelLength, gapLength, depthHalfLength, neededFactLength } = tuning.selection;
			const isPreferred = neededRow !== undefined && neededTokens < maxNeededTokens;
			const gain = isPreferred
				? neededFactor * (candidate.length + (shownRows.has(neededRow) ? 0 : neededLength))
				: computeNovelty(candidate, knownWords) * candidate.length;
			const depth = depthHalfLength / (depthHalfLength + (takenLengths[messageIndex] ?? 0));
			const value = (scores[index] ?? 0) * depth * gain;
			const factValue = factValues ? neededFactLength * computeMissingValue(candidate, factValues) : 0;
			return (value + factValue) / (candidate.length + (isOpen ? gapLength : labelLength));
		},
		tryTake(index, opensMessage) {
			const { candidate, messageIndex, neededRow } = candidates[index] as PlacedCandidate;
			const { text, words, facts, length } = candidate;
			if (texts.has(text) || isNearDuplicate(candidate, byMessage.get(messageIndex))) return 'not shown';
			const cost = count(memberNames.shorten(text)) + (opensMessage ? labelTokens : 1);
			if (cost > remainingTokens) return 'too large';
			remainingTokens -= cost;
			if (neededRow !== undefined) {
				neededTokens += cost;
				shownRows.add(neededRow);
			}
			takenLengths[messageIndex] = (takenLengths[messageIndex] ?? 0) + length;
			for (const word of words) knownWords.add(word);
			if (factValues && facts) markCovered(facts, tuning.facts.proseCoverage, factValues.coverage);
			texts.add(text);
			memberNames.recordShown(text);
			byMessage.set(messageIndex, [...(byMessage.get(messageIndex) ?? []), candidate]);
			chosen.push(candidates[index] as PlacedCandidate);
			return 'taken';
		},
	});
	return { chosen, remainingTokens };
}
