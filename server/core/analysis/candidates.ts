/** What messages say, in candidates: texts that can be shown alone. */

import { assignNumber } from '../compact/columns.ts';
import { tuning } from '../compact/tuning.ts';
import { latinLength } from './latinLength.ts';

/** A text from a message that may be shown alone. */
export interface Candidate {
	/** `statement`: what the agent said or did, or a row of data. `resultLine`: a line of any other result. */
	kind: 'statement' | 'resultLine';
	text: string;
	/** Whether it starts on a new line. */
	ownLine: boolean;
	/** Score relative to a plain sentence of the agent of the same length. */
	score: number;
	/** The score raised to `scorePower`, by which the choice goes. */
	weight: number;
	/** The numbers of its distinct words. */
	words: readonly number[];
	/** Length in Latin letters or their equivalent. */
	length: number;
	/** The distinct facts of the text; undefined until they are computed. */
	facts?: readonly number[];
}

/** A candidate before its words are numbered; `words` are from `wordsIn`. */
export type FoundCandidate = Omit<Candidate, 'weight' | 'length' | 'facts'>;

/** Numbers words, given as `wordsIn` returns them. The numbers are small, to serve as indexes. */
export type WordNumbers = Map<number, number>;

/** Returns candidates with lengths and word numbers; drops those with empty text. */
export function candidatesOf(found: readonly FoundCandidate[], numbers: WordNumbers): Candidate[] {
	return found
		.filter(({ text }) => text !== '')
		.map(({ kind, text, ownLine, score, words }) => ({
			kind,
			text,
			ownLine,
			score,
			weight: score ** tuning.selection.scorePower,
			words: words.map((word) => assignNumber(numbers, word)),
			length: latinLength(text),
			facts: undefined,
		}));
}
