/** Measures texts of any language: their length in Latin letters, and the token cost of their prose. */

import type { Source } from './source.ts';

/**
 * Number of Latin letters with as much content as one character of another script. Two parallel texts had 6,800 letters in
 * English, 1.08 times as many in German, 1,700 ideographs in Chinese, and 760 ideographs and 1,760 kana in Japanese. With
 * these factors, all four lengths differ by at most a twelfth.
 */
const lettersPerCharacter = { ideograph: 3.5, kana: 2, syllable: 2.2 } as const;

/** First and last UTF-16 unit of Chinese, Japanese and Korean scripts. */
const cjkRange = [0x3000, 0xffef] as const;
const wideCharacterPattern = /[\u3000-\uffef]/;

function countLatinLetters(code: number): number {
	if (code < cjkRange[0] || code > cjkRange[1]) return 1;
	if ((code >= 0x3400 && code <= 0x9fff) || (code >= 0xf900 && code <= 0xfaff))
		return lettersPerCharacter.ideograph;
	if (code >= 0xac00 && code <= 0xd7a3) return lettersPerCharacter.syllable;
	return code < 0x3400 || code >= 0xff00 ? lettersPerCharacter.kana : 1;
}

/** Returns the length of a text in Latin letters or their equivalent. For Latin text, its UTF-16 units. */
export function measureLatinLength(text: string): number {
	let letters = text.length;
	if (!wideCharacterPattern.test(text)) return letters;
	for (let index = 0; index < text.length; index++) {
		const code = text.charCodeAt(index);
		if (code >= cjkRange[0]) letters += countLatinLetters(code) - 1;
	}
	return Math.round(letters);
}

/** Whether a text is longer than `maxLetters` Latin letters. Does not read long texts to their end. */
export function isLongerThan(text: string, maxLetters: number): boolean {
	if (text.length > maxLetters) return true;
	return text.length * lettersPerCharacter.ideograph > maxLetters && measureLatinLength(text) > maxLetters;
}

/** Returns the length of a text's longest prefix within `maxLetters` Latin letters. UTF-16 units. */
export function findLatinPrefixEnd(text: string, maxLetters: number): number {
	let letters = 0;
	for (let index = 0; index < text.length; index++) {
		letters += countLatinLetters(text.charCodeAt(index));
		if (letters > maxLetters) return index;
	}
	return text.length;
}

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

/** Returns a text with plain apostrophes, as patterns of words have. Some models write `’`. */
export function toPlainApostrophes(text: string): string {
	return text.replaceAll('’', "'");
}

const germanWordPattern = /\b(?:der|die|das|ist|sind|und|nicht|mit|auf|wir|ich|im)\b/i;

/** Whether a text is German, in which every noun is capitalised, not only names. */
export function isGerman(text: string): boolean {
	return germanWordPattern.test(text);
}
