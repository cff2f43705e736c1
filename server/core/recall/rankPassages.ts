/** Ranks passages of all sessions for a query, best first. */

import { foldText } from './passages.ts';
import type { QueryWord } from './question.ts';

/** A passage that contains at least one of the words. */
export interface Passage {
	text: string;
	role: string;
	/** Text that an agent or program put there, such as a summary or instructions: less likely to be meant. */
	isGenerated: boolean;
}

/** What ranking takes into account. A test turns each off, to show that it helps. */
export interface RankSignals {
	/** Names of code, files and errors count more, and exactly as typed even more. */
	names: boolean;
	/** What the user said counts more than what tools returned. */
	roles: boolean;
}

export const allRankSignals: RankSignals = { names: true, roles: true };

/** Okapi BM25: saturation of repeated words, and the penalty for long texts with their usual length. */
const saturation = 0.6;
const lengthWeight = 0.5;
const usualLength = 1200;
/** Maximum number of counted occurrences of a word. */
const maxUses = 12;
/** Factors of single signals. */
const nameWeight = 1.4;
const exactNameWeight = 1.3;
const roleWeights: Readonly<Record<string, number>> = { user: 1.25, assistant: 1.1 };
const generatedWeight = 0.5;
/** Score of a passage that has the words only in other forms. */
const minScore = 1e-3;
/** Exponent of the share of the words that a passage contains, by their weights. */
const coverageExponent = 1.5;

/** How much a word says: the rarer among all messages, the more. */
export interface WeighedWord extends QueryWord {
	weight: number;
}

/** Returns the weight of a word by the number of passages that contain it. */
export function rarityOf(containing: number, passages: number): number {
	return Math.log(1 + (passages - Math.min(containing, passages) + 0.5) / (containing + 0.5));
}

/** Score of a passage that the index has found; small if its words have other forms. O(text × words). */
export function scorePassage(
	words: readonly WeighedWord[],
	passage: Passage,
	signals: RankSignals = allRankSignals,
): number {
	const small = foldText(passage.text);
	const length = 1 - lengthWeight + lengthWeight * (passage.text.length / usualLength);
	let [score, found, all] = [0, 0, 0];
	for (const word of words) {
		const uses = findOccurrences(small, word);
		const weight = word.weight * (signals.names && word.isName ? nameWeight : 1);
		all += weight;
		if (uses.length > 0) {
			const isExact = signals.names && word.isName && passage.text.includes(word.text);
			const count = uses.length;
			score +=
				(isExact ? exactNameWeight : 1) *
				weight *
				((count * (saturation + 1)) / (count + saturation * length));
			found += weight;
		}
	}
	if (found === 0) return minScore;
	score *= (found / all) ** coverageExponent;
	if (signals.roles) score *= passage.isGenerated ? generatedWeight : (roleWeights[passage.role] ?? 1);
	return score;
}

/** Indices at which a word begins in a folded text, with all of its parts one after another. */
export function findOccurrences(small: string, { stems }: Pick<QueryWord, 'stems'>): number[] {
	const [first = ''] = stems;
	const uses: number[] = [];
	if (first === '') return uses;
	for (
		let index = small.indexOf(first);
		index >= 0 && uses.length < maxUses;
		index = small.indexOf(first, index + first.length)
	) {
		if (isWordStart(small, index) && hasOthers(small, index + first.length, stems)) uses.push(index);
	}
	return uses;
}

function isWordStart(text: string, index: number): boolean {
	return index === 0 || !/[\p{L}\p{N}]/u.test(text.charAt(index - 1)) || isUnspaced(text.charAt(index));
}

function isUnspaced(character: string): boolean {
	return character > '\u0e00' && !/[\p{Script=Hangul}]/u.test(character);
}

/** Maximum number of characters between the parts of a name. */
const maxPartGap = 3;

/** Whether the other parts follow, each after at most `maxPartGap` characters. */
function hasOthers(text: string, from: number, stems: readonly string[]): boolean {
	let at = from;
	for (const stem of stems.slice(1)) {
		const gap = [0, 1, 2, maxPartGap].find((skipped) => text.startsWith(stem, at + skipped));
		if (gap === undefined) return false;
		at += gap + stem.length;
	}
	return true;
}

/** Maximum part of an excerpt before the words. */
const shareBefore = 0.25;

/**
 * Returns the part of a passage with the most of the words, by their weights; marked where it is cut.
 * @param maxLength UTF-16 units
 */
export function passageExcerpt(text: string, words: readonly WeighedWord[], maxLength: number): string {
	if (text.length <= maxLength) return text.trim().toWellFormed();
	const small = foldText(text);
	const before = Math.floor(shareBefore * maxLength);
	const uses = words.flatMap((word) => findOccurrences(small, word).map((at) => ({ at, word })));
	let best = { start: 0, score: -1 };
	for (const { at } of uses) {
		const end = at + maxLength - before;
		const inside = new Set(uses.filter((use) => use.at >= at && use.at < end).map(({ word }) => word));
		const score = [...inside].reduce((sum, { weight }) => sum + weight, 0);
		if (score > best.score) best = { start: at, score };
	}
	const line = text.lastIndexOf('\n', best.start) + 1;
	const start = Math.min(Math.max(line, best.start - before), text.length - maxLength);
	const end = start + maxLength;
	const cut = text.slice(start, end).trim();
	return `${start > 0 ? '…' : ''}${cut}${end < text.length ? '…' : ''}`.toWellFormed();
}
