/** What messages said, in pieces that can be shown alone. */

import { numberOf } from '../columns.ts';
import { tuning } from '../tuning.ts';
import { extentOf } from './extent.ts';

/** Something that a message said, wherever it is shown. */
export interface Candidate {
	/** `told`: what somebody said or did, and what a service answered in data. `shown`: a line of another result. */
	kind: 'told' | 'shown';
	text: string;
	/** On a line of its own. */
	ownLine: boolean;
	/** Score next to a plain sentence of the agent, by its length. */
	score: number;
	/** The same, to the power that the choice goes by. */
	weight: number;
	/** Its distinct words, by their numbers. */
	words: readonly number[];
	/** Latin letters, or signs that say as much. */
	length: number;
	/** Its distinct facts, once they were looked for. */
	facts?: readonly number[];
}

/** A candidate as it is found; `words` as `wordsIn` gives them. */
export type FoundCandidate = Omit<Candidate, 'weight' | 'length' | 'facts'>;

/** Numbers of words, by what `wordsIn` gives for them: small, so that what is known of each is found by its place. */
export type WordNumbers = Map<number, number>;

/** Returns candidates with their lengths and the numbers of their words; empty ones are left out. */
export function candidatesOf(found: readonly FoundCandidate[], numbers: WordNumbers): Candidate[] {
	return found
		.filter(({ text }) => text !== '')
		.map(({ kind, text, ownLine, score, words }) => ({
			kind,
			text,
			ownLine,
			score,
			weight: score ** tuning.selection.scorePower,
			words: words.map((word) => numberOf(numbers, word)),
			length: extentOf(text),
			facts: undefined,
		}));
}
