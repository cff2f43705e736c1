/** The token cost of prose in the language of a session. */

import type { Source } from './source.ts';
import { latinLength, latinPrefixEnd } from './latinLength.ts';

/** Cost of plain English relative to English about code, which is the most expensive English in recorded sessions. */
const codeEnglishRatio = 0.88;

/** Approximate letters of a call in the narrative. */
export const narrativeCallLength = 60;
/** Length of the sample from the newest words, and the length below which it is not conclusive. Letters. */
const sampleLength = { max: 4000, min: 200 } as const;
/** Below this share of letters foreign to English, a text counts as English. */
const minForeignShare = 0.005;
/** Maximum cost of a language. Chinese costs up to 1.4 times as much as English, Japanese 1.65. */
const maxCostFactor = 2;

/** The words of a message, and its number of tool calls, which cost the same in every language. */
export interface Words {
	text: string;
	calls: number;
}

/** The reference text: counts differ by a third between models. */
const plainEnglish =
	'I looked at the import first, since every row waits for its own transaction there. It took three minutes before and takes six seconds now, and the tests pass again. What is still open is the report: nobody learns which rows were skipped, so please decide whether their numbers should be written to a file.';

/** Characters also used in English. Expensive text made only of them is English about code. */
const notForeign = /[^\u00c0-\u024f\u0370-\u1fff\u3041-\uffef]+/g;

/**
 * Returns how many tokens a narrative takes for each token of the same narrative in English, from 1 to 2. Judged by
 * the newest of these words. Cheaper languages count as 1.
 * @param count returns the tokens of a text
 */
export function languageCostFactor(said: readonly Words[], count: (text: string) => number): number {
	const english = count(plainEnglish) / plainEnglish.length / codeEnglishRatio;
	let letters = 0;
	let tokens = 0;
	let foreign = 0;
	for (let index = said.length - 1; index >= 0 && letters < sampleLength.max; index--) {
		const { text = '', calls = 0 } = said[index] ?? {};
		const sample = text.slice(0, latinPrefixEnd(text.slice(0, sampleLength.max), sampleLength.max - letters));
		letters += latinLength(sample) + calls * narrativeCallLength;
		foreign += latinLength(sample.replace(notForeign, ''));
		tokens += count(sample) + calls * narrativeCallLength * english;
	}
	if (letters < sampleLength.min || foreign < minForeignShare * letters) return 1;
	return Math.min(maxCostFactor, Math.max(1, tokens / letters / english));
}

/** Returns the words of users and the agent. */
export function collectWords(sources: readonly Source[]): Words[] {
	return sources
		.filter(({ role, injected }) => (role === 'user' && !injected) || role === 'assistant')
		.map(({ text, calls }) => ({ text, calls: calls.length }));
}
