/** Estimates what a conversation's language costs in tokens, relative to English. */

import { findLatinPrefixEnd, measureLatinLength } from '../text/language.ts';
import type { Source } from './source.ts';

/** Token cost of plain English relative to English about code, the most expensive English in recorded sessions. */
const codeEnglishRatio = 0.88;

/** Approximate letters of a call in the narrative. */
export const narrativeCallLength = 60;
/** Maximum length of the sample of newest text, and the minimum for a conclusive result. Letters. */
const sampleLength = { max: 4000, min: 200 } as const;
/** A text with a smaller share of non-English letters counts as English. */
const minForeignShare = 0.005;
/** Maximum token cost of a language relative to English. Chinese costs up to 1.4 times as much, Japanese 1.65. */
const maxCostFactor = 2;

/** The text of a message, and its number of tool calls, which cost the same in every language. */
export interface MessageText {
	text: string;
	callCount: number;
}

/** Plain English as a reference, because the token counts of models differ by a third. */
const plainEnglishSample =
	'I looked at the import first, since every row waits for its own transaction there. It took three minutes before and takes six seconds now, and the tests pass again. What is still open is the report: nobody learns which rows were skipped, so please decide whether their numbers should be written to a file.';

/** Characters of English texts. An expensive text with only these characters is English about code. */
const englishCharacterPattern = /[^\u00c0-\u024f\u0370-\u1fff\u3041-\uffef]+/g;

/**
 * Returns the tokens of a narrative for each token of the same narrative in English, from 1 to 2. Cheaper languages count
 * as 1. Judged by the newest messages.
 * @param count returns the tokens of a text
 */
export function computeLanguageCostFactor(
	messages: readonly MessageText[],
	count: (text: string) => number,
): number {
	const englishCost = count(plainEnglishSample) / plainEnglishSample.length / codeEnglishRatio;
	let letters = 0;
	let tokens = 0;
	let foreignLetters = 0;
	for (let index = messages.length - 1; index >= 0 && letters < sampleLength.max; index--) {
		const { text = '', callCount = 0 } = messages[index] ?? {};
		const sample = text.slice(
			0,
			findLatinPrefixEnd(text.slice(0, sampleLength.max), sampleLength.max - letters),
		);
		letters += measureLatinLength(sample) + callCount * narrativeCallLength;
		foreignLetters += measureLatinLength(sample.replace(englishCharacterPattern, ''));
		tokens += count(sample) + callCount * narrativeCallLength * englishCost;
	}
	if (letters < sampleLength.min || foreignLetters < minForeignShare * letters) return 1;
	return Math.min(maxCostFactor, Math.max(1, tokens / letters / englishCost));
}

/** Returns the texts of users and the agent. */
export function collectMessageTexts(sources: readonly Source[]): MessageText[] {
	return sources
		.filter(({ role, isInjected }) => (role === 'user' && !isInjected) || role === 'assistant')
		.map(({ text, calls }) => ({ text, callCount: calls.length }));
}
