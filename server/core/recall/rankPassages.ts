/** Ranks passages of all sessions for a query, best first. */

import { scoreOccurrences } from './bm25.ts';
import { cutExcerpt, foldText } from './passages.ts';
import type { QueryWord } from './question.ts';

/** A passage of a message that contains at least one of the searched words. */
export interface Passage {
	text: string;
	role: string;
	/** Whether a program wrote the text, such as a summary or instructions, which users rarely search for. */
	isGenerated: boolean;
}

/** The signals that ranking uses. Tests turn them off one by one, to show that each helps. */
export interface RankSignals {
	/** Names of code, files and errors score higher, and higher still if they occur exactly as typed. */
	names: boolean;
	/** Texts of the user score higher than results of tools. */
	roles: boolean;
}

export const allRankSignals: RankSignals = { names: true, roles: true };

const bm25Constants = { saturation: 0.6, lengthWeight: 0.5, maxOccurrences: 12 } as const;
/** Usual length of a passage in UTF-16 units. */
const usualPassageUnits = 1200;
/** Factor for a word that is a name. */
const nameWeight = 1.4;
/** Additional factor for a name that occurs exactly as typed. */
const exactNameWeight = 1.3;
/** Factors for passages by the role of their message; 1 for other roles. */
const roleWeights: Readonly<Record<string, number>> = { user: 1.25, assistant: 1.1 };
/** Factor for a passage that a program wrote. */
const generatedWeight = 0.5;
/** Score of a passage that contains the words only in other forms. */
const minScore = 1e-3;
/** Exponent of the weighted share of the words that a passage contains. */
const coverageExponent = 1.5;

/** A word of a query with its weight: the rarer the word is among all messages, the higher. */
export interface WeighedWord extends QueryWord {
	weight: number;
}

/** Returns the score of a passage; small if it contains the words only in other forms. O(text × words). */
export function scorePassage(
	words: readonly WeighedWord[],
	passage: Passage,
	signals: RankSignals = allRankSignals,
): number {
	const folded = foldText(passage.text);
	const relativeLength = passage.text.length / usualPassageUnits;
	let [score, foundWeight, totalWeight] = [0, 0, 0];
	for (const word of words) {
		const occurrences = findOccurrences(folded, word);
		const weight = word.weight * (signals.names && word.isName ? nameWeight : 1);
		totalWeight += weight;
		if (occurrences.length > 0) {
			const isExact = signals.names && word.isName && passage.text.includes(word.text);
			score +=
				(isExact ? exactNameWeight : 1) *
				weight *
				scoreOccurrences(occurrences.length, relativeLength, bm25Constants);
			foundWeight += weight;
		}
	}
	if (foundWeight === 0) return minScore;
	score *= (foundWeight / totalWeight) ** coverageExponent;
	if (signals.roles) score *= passage.isGenerated ? generatedWeight : (roleWeights[passage.role] ?? 1);
	return score;
}

/** Returns the indices in a folded text where a word begins and its other parts follow in order. */
export function findOccurrences(folded: string, { stems }: Pick<QueryWord, 'stems'>): number[] {
	const [first = ''] = stems;
	const indexes: number[] = [];
	if (first === '') return indexes;
	for (
		let index = folded.indexOf(first);
		index >= 0 && indexes.length < bm25Constants.maxOccurrences;
		index = folded.indexOf(first, index + first.length)
	) {
		if (isWordStart(folded, index) && areOthersNext(folded, index + first.length, stems)) indexes.push(index);
	}
	return indexes;
}

function isWordStart(text: string, index: number): boolean {
	return index === 0 || !/[\p{L}\p{N}]/u.test(text.charAt(index - 1)) || isUnspaced(text.charAt(index));
}

function isUnspaced(character: string): boolean {
	return character > '\u0e00' && !/[\p{Script=Hangul}]/u.test(character);
}

/** Maximum number of characters between the parts of a name. */
const maxPartGap = 3;

/** Whether the other parts of a word follow, each after at most `maxPartGap` characters. */
function areOthersNext(text: string, from: number, stems: readonly string[]): boolean {
	let at = from;
	for (const stem of stems.slice(1)) {
		const gap = [0, 1, 2, maxPartGap].find((gapLength) => text.startsWith(stem, at + gapLength));
		if (gap === undefined) return false;
		at += gap + stem.length;
	}
	return true;
}

/** Maximum share of an excerpt before the first query word. */
const excerptShareBefore = 0.25;

/**
 * Returns the part of a passage with the highest weight of query words, with an ellipsis at each truncated end.
 * @param maxLength UTF-16 units
 */
export function findPassageExcerpt(text: string, words: readonly WeighedWord[], maxLength: number): string {
	if (text.length <= maxLength) return text.trim().toWellFormed();
	const folded = foldText(text);
	const unitsBefore = Math.floor(excerptShareBefore * maxLength);
	const occurrences = words.flatMap((word) => findOccurrences(folded, word).map((at) => ({ at, word })));
	let best = { start: 0, score: -1 };
	for (const { at } of occurrences) {
		const end = at + maxLength - unitsBefore;
		const wordsInside = new Set(
			occurrences.filter((occurrence) => occurrence.at >= at && occurrence.at < end).map(({ word }) => word),
		);
		const score = [...wordsInside].reduce((sum, { weight }) => sum + weight, 0);
		if (score > best.score) best = { start: at, score };
	}
	const line = text.lastIndexOf('\n', best.start) + 1;
	const start = Math.min(Math.max(line, best.start - unitsBefore), text.length - maxLength);
	return cutExcerpt(text, start, maxLength);
}
