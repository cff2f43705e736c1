/** What the words of a session cost in its language. */

import type { Source } from '../ledger/source.ts';
import { extentOf, firstOfExtent } from './extent.ts';

/** Cost of plain English by that of English about code, which is the most expensive in recorded sessions and counts as English, too. */
const codeEnglishRatio = 0.88;

/** Letters of a call in the narrative, about. */
export const callLength = 60;
/** What is sampled of the newest words, and what is too little to tell. Letters. */
const sampleLength = { max: 4000, min: 200 } as const;
/** Below this share of letters that English does not have, a text is English. */
const minForeignShare = 0.005;
/** The most that a language is taken to cost. Chinese costs up to 1.4 times as much as English, Japanese 1.65. */
const maxCostFactor = 2;

/** What somebody said, and how many calls of tools stand beside it, which cost the same in every language. */
export interface Words {
	text: string;
	calls: number;
}

/** What all is compared with, since counts differ by a third from one model to another. */
const plainEnglish =
	'I looked at the import first, since every row waits for its own transaction there. It took three minutes before and takes six seconds now, and the tests pass again. What is still open is the report: nobody learns which rows were skipped, so please decide whether their numbers should be written to a file.';

/** What English has, too. What is dear without any other letter is English about code. */
const notForeign = /[^\u00c0-\u024f\u0370-\u1fff\u3041-\uffef]+/g;

/**
 * Tokens that a thread takes for each that it would take in English, 1 to 2, by the newest of these words; what costs
 * less than English counts as that.
 *
 * @param count tokens of a text
 */
export function priceOf(said: readonly Words[], count: (text: string) => number): number {
	const english = count(plainEnglish) / plainEnglish.length / codeEnglishRatio;
	let letters = 0;
	let tokens = 0;
	let foreign = 0;
	for (let index = said.length - 1; index >= 0 && letters < sampleLength.max; index--) {
		const { text = '', calls = 0 } = said[index] ?? {};
		const sample = text.slice(0, firstOfExtent(text.slice(0, sampleLength.max), sampleLength.max - letters));
		letters += extentOf(sample) + calls * callLength;
		foreign += extentOf(sample.replace(notForeign, ''));
		tokens += count(sample) + calls * callLength * english;
	}
	if (letters < sampleLength.min || foreign < minForeignShare * letters) return 1;
	return Math.min(maxCostFactor, Math.max(1, tokens / letters / english));
}

/** What users and the agent said. */
export function wordsOf(sources: readonly Source[]): Words[] {
	return sources
		.filter(({ role, injected }) => (role === 'user' && !injected) || role === 'assistant')
		.map(({ text, calls }) => ({ text, calls: calls.length }));
}
