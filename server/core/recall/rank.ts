/** Ranks messages by how well they match the words of a query, best first. */

import { forEachInSlices, itemsPerSlice, type SlicedTask } from '../slices.ts';
import { computeRarity, scoreOccurrences } from './bm25.ts';
import { cutExcerpt } from './passages.ts';

/** Maximum number of query words that are searched. */
const maxQueryWords = 32;
/** The usual constants of the BM25 formula. */
const bm25Constants = { saturation: 1.2, lengthWeight: 0.75, maxOccurrences: 20 } as const;
/** Factor for a message that contains the whole query verbatim. */
const phraseWeight = 2;
/** Maximum length of an excerpt, and of its part before the match. UTF-16 units. */
const excerptUnits = { max: 300, before: 100 } as const;

export interface SearchQuery {
	/** Distinct words, lowercase. */
	words: readonly string[];
	/** The whole query, lowercase. */
	phrase: string;
}

/** A message that contains at least one of the words. */
export interface SearchHit {
	/** Ordinal of the message. */
	seq: number;
	/** Length of the message's text in UTF-16 units. */
	length: number;
	/** Number of occurrences of each query word. */
	counts: readonly number[];
	hasPhrase: boolean;
}

/** Parses a query into words. Only white space separates words, which keeps paths and names whole. */
export function parseSearchQuery(text: string): SearchQuery {
	const phrase = text.trim().toLowerCase();
	const words = [...new Set(phrase.split(/\s+/))].filter((word) => word !== '');
	return { words: words.slice(0, maxQueryWords), phrase };
}

function countOccurrences(text: string, word: string): number {
	let count = 0;
	for (
		let index = text.indexOf(word);
		index >= 0 && count < bm25Constants.maxOccurrences;
		index = text.indexOf(word, index + word.length)
	) {
		count++;
	}
	return count;
}

/**
 * Matches a text with a query; undefined if the text contains none of the query's words. A word also matches inside a
 * longer word.
 */
export function matchText(seq: number, text: string, { words, phrase }: SearchQuery): SearchHit | undefined {
	const lowerText = text.toLowerCase();
	const counts = words.map((word) => countOccurrences(lowerText, word));
	if (counts.every((count) => count === 0)) return undefined;
	return { seq, length: text.length, counts, hasPhrase: words.length > 1 && lowerText.includes(phrase) };
}

/** Returns the weight of each word: the rarer a word is among the messages, the higher its weight. */
function* computeWeights(hits: readonly SearchHit[], words: number, messages: number): SlicedTask<number[]> {
	const containingCounts = new Array<number>(words).fill(0);
	yield* forEachInSlices(hits, ({ counts }) => {
		for (const [word, count] of counts.entries())
			if (count > 0) containingCounts[word] = (containingCounts[word] ?? 0) + 1;
	});
	return containingCounts.map((count) => computeRarity(count, messages));
}

/** Returns the best hits, best first, and the newer of two equal hits first. Runs in slices. */
export function* rankHits(
	hits: readonly SearchHit[],
	{ messages, averageLength }: { messages: number; averageLength: number },
	limit: number,
): SlicedTask<SearchHit[]> {
	const weights = yield* computeWeights(hits, hits[0]?.counts.length ?? 0, messages);
	const scoreHit = ({ counts, length, hasPhrase }: SearchHit): number => {
		const relativeLength = length / Math.max(1, averageLength);
		const sum = counts.reduce(
			(score, count, word) =>
				score + (weights[word] ?? 0) * scoreOccurrences(count, relativeLength, bm25Constants),
			0,
		);
		return hasPhrase ? phraseWeight * sum : sum;
	};
	type Scored = { hit: SearchHit; score: number };
	let bestHits: Scored[] = [];
	const keepBest = (): void => {
		bestHits.sort((a, b) => b.score - a.score || b.hit.seq - a.hit.seq);
		bestHits = bestHits.slice(0, limit);
	};
	// Sorts once per slice and drops the rest, because sorting a million hits to find ten would be slow.
	yield* forEachInSlices(hits, (hit) => {
		bestHits.push({ hit, score: scoreHit(hit) });
		if (bestHits.length >= limit + itemsPerSlice) keepBest();
	});
	keepBest();
	return bestHits.map(({ hit }) => hit);
}

/** Returns the part of a text with the most query words; a short text is returned whole. */
export function findExcerpt(text: string, { words, phrase }: SearchQuery): string {
	if (text.length <= excerptUnits.max) return text.toWellFormed();
	const lowerText = text.toLowerCase();
	const positions = [phrase, ...words].map((word) => lowerText.indexOf(word)).filter((index) => index >= 0);
	const scoreExcerpt = (start: number): number =>
		words.filter((word) => lowerText.slice(start, start + excerptUnits.max).includes(word)).length;
	const starts = positions.map((index) => {
		const line = text.lastIndexOf('\n', index - 1) + 1;
		return Math.min(text.length - excerptUnits.max, Math.max(line, index - excerptUnits.before));
	});
	const [bestStart = 0] = starts
		.map((index) => Math.max(0, index))
		.sort((a, b) => scoreExcerpt(b) - scoreExcerpt(a));
	return cutExcerpt(text, bestStart, excerptUnits.max);
}
