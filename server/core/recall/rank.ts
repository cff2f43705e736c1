/** Ranks messages by how well they match the words of a query, best first. */

import { type Slices, sliceLength, visited } from '../slices.ts';

/** Words of a query that are searched; more would not make its meaning clearer. */
const maxQueryWords = 32;
/** Occurrences of a word in a text that are counted. */
const maxCountedUses = 20;
/** Okapi BM25 with its usual constants: how soon repetition stops to count, and how much long texts are held back. */
const saturation = 1.2;
const lengthWeight = 0.75;
/** A message that holds the whole query as it was asked is worth this many times as much. */
const phraseWeight = 2;
/** UTF-16 units of an excerpt; of these, so many at most stand before what was found. */
const excerpt = { longest: 300, before: 100 } as const;

/** What is looked for. */
export interface Query {
	/** Each once, in small letters. */
	words: readonly string[];
	/** All of it as it was asked, in small letters. */
	phrase: string;
}

/** A message that holds at least one of the words. */
export interface Hit {
	/** Ordinal of the message. */
	seq: number;
	/** UTF-16 units of its text. */
	length: number;
	/** How often it holds each word of the query. */
	counts: readonly number[];
	hasPhrase: boolean;
}

/** The words of a question; separated by blanks, so that paths, names and scripts without blanks stay whole. */
export function queryOf(text: string): Query {
	const phrase = text.trim().toLowerCase();
	const words = [...new Set(phrase.split(/\s+/))].filter((word) => word !== '');
	return { words: words.slice(0, maxQueryWords), phrase };
}

function countOf(text: string, word: string): number {
	let count = 0;
	for (
		let index = text.indexOf(word);
		index >= 0 && count < maxCountedUses;
		index = text.indexOf(word, index + word.length)
	) {
		count++;
	}
	return count;
}

/** What a text has of a query; undefined where it has no word of it. Words are found inside longer ones too. */
export function hitOf(seq: number, text: string, { words, phrase }: Query): Hit | undefined {
	const small = text.toLowerCase();
	const counts = words.map((word) => countOf(small, word));
	if (counts.every((count) => count === 0)) return undefined;
	return { seq, length: text.length, counts, hasPhrase: words.length > 1 && small.includes(phrase) };
}

/** How much each word tells: the rarer among so many messages, the more. */
function* weightsOf(hits: readonly Hit[], words: number, messages: number): Slices<number[]> {
	const holding = new Array<number>(words).fill(0);
	yield* visited(hits, ({ counts }) => {
		for (const [word, count] of counts.entries()) if (count > 0) holding[word] = (holding[word] ?? 0) + 1;
	});
	return holding.map((held) => Math.log(1 + (messages - held + 0.5) / (held + 0.5)));
}

/**
 * The best of some hits among so many messages of so many UTF-16 units each; of equals the newer first. In slices.
 */
export function* bestOf(
	hits: readonly Hit[],
	{ messages, averageLength }: { messages: number; averageLength: number },
	limit: number,
): Slices<Hit[]> {
	const weights = yield* weightsOf(hits, hits[0]?.counts.length ?? 0, messages);
	const scoreOf = ({ counts, length, hasPhrase }: Hit): number => {
		const held = 1 - lengthWeight + lengthWeight * (length / Math.max(1, averageLength));
		const sum = counts.reduce(
			(score, count, word) =>
				score + (weights[word] ?? 0) * ((count * (saturation + 1)) / (count + saturation * held)),
			0,
		);
		return hasPhrase ? phraseWeight * sum : sum;
	};
	type Scored = { hit: Hit; score: number };
	let best: Scored[] = [];
	const keepBest = (): void => {
		best.sort((a, b) => b.score - a.score || b.hit.seq - a.hit.seq);
		best = best.slice(0, limit);
	};
	// A million of them are not put in order for the sake of ten.
	yield* visited(hits, (hit) => {
		best.push({ hit, score: scoreOf(hit) });
		if (best.length >= limit + sliceLength) keepBest();
	});
	keepBest();
	return best.map(({ hit }) => hit);
}

/** The part of a text in which the most of a query stands together; the whole of a short one. */
export function excerptOf(text: string, { words, phrase }: Query): string {
	if (text.length <= excerpt.longest) return text.toWellFormed();
	const small = text.toLowerCase();
	const places = [phrase, ...words].map((word) => small.indexOf(word)).filter((index) => index >= 0);
	const held = (start: number): number =>
		words.filter((word) => small.slice(start, start + excerpt.longest).includes(word)).length;
	const starts = places.map((index) => {
		const line = text.lastIndexOf('\n', index - 1) + 1;
		return Math.min(text.length - excerpt.longest, Math.max(line, index - excerpt.before));
	});
	const [start = 0] = starts.map((index) => Math.max(0, index)).sort((a, b) => held(b) - held(a));
	const cut = text.slice(start, start + excerpt.longest);
	return `${start > 0 ? '…' : ''}${cut}${start + excerpt.longest < text.length ? '…' : ''}`.toWellFormed();
}
