/** Chooses what is shown of messages: always what says most that is new for what it costs, as long as it fits. */

import type { Slices } from '../../slices.ts';
import { type Coverage, cover } from '../ledger/coverage.ts';
import { selectSteps } from '../ledger/select.ts';
import { tuning } from '../tuning.ts';
import type { Candidate } from './candidates.ts';
import type { Placed } from './pieces.ts';

/** At this score or below, a candidate is not worth its place. */
const minScore = 0.02;
/** Words that near duplicates have in common at least. */
const minSharedWords = 3;
/** Tokens that the label of a message takes, about. */
export const labelTokens = 6;

export interface Choosing {
	candidates: readonly Placed[];
	/** By the number of a word, 1 if the reader has it already; those of what is chosen are added. */
	known: Uint8Array;
	/** Words that the user asked to keep. */
	wish: ReadonlySet<number>;
	/** How many messages there are: age counts from the last. */
	messages: number;
	budgetTokens: number;
	/** Tokens of a text. */
	count: (text: string) => number;
	/** What an agent that goes on will write again; if absent, a candidate is worth what it says alone. */
	needed?: NeededFacts;
}

/** Facts, by what they are worth to have once. */
export interface NeededFacts {
	/** By fact: the probability that it is needed again. */
	values: Float32Array;
	/** How well each is covered already; what is chosen is added. */
	covered: Coverage;
}

/** Expected value of a candidate's facts that are not covered yet. */
function missingValue({ facts = [] }: Candidate, { values, covered }: NeededFacts): number {
	let sum = 0;
	for (const fact of facts) sum += (values[fact] ?? 0) * (1 - (covered[fact] ?? 0));
	return sum;
}

/** Share of a candidate's score that is left by the share of its words that are new. */
function novelty({ words }: Candidate, known: Uint8Array): number {
	const { knownWordsShare } = tuning.selection;
	if (words.length === 0) return knownWordsShare;
	let fresh = 0;
	for (const word of words) if (known[word] === 0) fresh++;
	return knownWordsShare + ((1 - knownWordsShare) * fresh) / words.length;
}

/** Share of a score that is left at an age, in messages. */
function recency(age: number): number {
	const { minRecency, recencyHalfLife } = tuning.selection;
	return minRecency + (1 - minRecency) * 2 ** (-age / recencyHalfLife);
}

/** What each candidate scores at its age, before anything is known. */
function scoresOf({ candidates, messages, wish }: Choosing): Float64Array {
	const recencies = Float64Array.from({ length: messages }, (_, message) => recency(messages - 1 - message));
	const scores = new Float64Array(candidates.length);
	for (const [index, { candidate, message, weight }] of candidates.entries()) {
		const wished = wish.size === 0 ? 0 : candidate.words.filter((word) => wish.has(word)).length;
		scores[index] = weight * (recencies[message] ?? 0) * (1 + wished);
	}
	return scores;
}

/** Whether another candidate of the same message says it in nearly the same words. */
function isNearDuplicate({ words }: Candidate, others: readonly Candidate[] = []): boolean {
	return others.some((other) => {
		const shared = words.filter((word) => other.words.includes(word)).length;
		return (
			shared >= minSharedWords &&
			shared >= tuning.selection.duplicateShare * Math.min(words.length, other.words.length)
		);
	});
}

/**
 * Returns the chosen candidates in order, and the tokens that are left. What is said in the same words is chosen once, and
 * within a message what is said in nearly the same.
 */
export function* chooseSteps(choosing: Choosing): Slices<{ chosen: Placed[]; left: number }> {
	const { candidates, known, count, needed } = choosing;
	const scores = scoresOf(choosing);
	/** By message, the length of what was taken of it. */
	const taken = new Float64Array(choosing.messages);
	const texts = new Set<string>();
	const chosenOf = new Map<number, Candidate[]>();
	const chosen: Placed[] = [];
	let left = choosing.budgetTokens;
	yield* selectSteps({
		length: candidates.length,
		groupOf: (index) => candidates[index]?.message ?? -1,
		minKey: minScore,
		keyOf(index, isOpen) {
			const { candidate, message } = candidates[index] as Placed;
			const { labelLength, gapLength, depthHalfLength, neededFactLength } = tuning.selection;
			const depth = depthHalfLength / (depthHalfLength + (taken[message] ?? 0));
			const said = (scores[index] ?? 0) * novelty(candidate, known) * depth * candidate.length;
			const facts = needed ? neededFactLength * missingValue(candidate, needed) : 0;
			return (said + facts) / (candidate.length + (isOpen ? gapLength : labelLength));
		},
		take(index, opensMessage) {
			const { candidate, message } = candidates[index] as Placed;
			const { text, words, facts, length } = candidate;
			if (texts.has(text) || isNearDuplicate(candidate, chosenOf.get(message))) return 'not shown';
			const cost = count(text) + (opensMessage ? labelTokens : 1);
			if (cost > left) return 'too large';
			left -= cost;
			taken[message] = (taken[message] ?? 0) + length;
			for (const word of words) known[word] = 1;
			if (needed && facts) cover(facts, tuning.facts.proseCoverage, needed.covered);
			texts.add(text);
			chosenOf.set(message, [...(chosenOf.get(message) ?? []), candidate]);
			chosen.push(candidates[index] as Placed);
			return 'taken';
		},
	});
	return { chosen: chosen.sort((a, b) => a.message - b.message || a.order - b.order), left };
}
