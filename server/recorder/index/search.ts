/** Finds passages for a query: takes candidates from the full-text index and ranks them by their texts. */

import { computeRarity } from '../../core/recall/bm25.ts';
import { parseRecallQuery, type QueryWord } from '../../core/recall/question.ts';
import {
	allRankSignals,
	type RankSignals,
	scorePassage,
	type WeighedWord,
} from '../../core/recall/rankPassages.ts';
import { decodeText, hashText, type IndexStore, type RecordingMessage, rowToMessage } from './indexStore.ts';
import { createScopeExpression, type SearchScope } from './scope.ts';

/** Maximum passages that are looked up for a word, newest first. */
const maxPerWord = 400;
/** Maximum passages that are looked up for several words together, newest first. */
const maxPerCombination = 100;
/** This many of the rarest words are also looked up together. More words take longer without better results. */
const maxCombinedWords = 3;
/** Candidates whose texts one query reads. */
const candidatesPerBatch = 120;
/** Maximum candidates whose texts are read. A second batch is read only if many candidates are copies. */
const maxCandidates = 600;
/** Minimum characters of a word that is searched as a prefix if no passage contains the whole word. */
const minPrefixLength = 4;

export interface SearchRequest extends SearchScope {
	query: string;
	/** Maximum number of messages. */
	limit: number;
	/** The current time, in milliseconds since the epoch. */
	now: number;
	/** Signals that the ranking uses, by default all; tests turn some off. */
	signals?: RankSignals;
}

/** A message that contains words of the query, with the best of its passages. */
export interface FoundMessage extends RecordingMessage {
	recordingId: string;
	passage: string;
	score: number;
}

export interface FoundMessages {
	/** The messages, best first. */
	messages: FoundMessage[];
	/** The words of the query with their weights. */
	words: WeighedWord[];
	/** Number of passages that were ranked. */
	rankedCount: number;
	/** Number of passages in the index. */
	searchedCount: number;
}

/** A word of the query with its full-text expression and the passages that contain it. */
interface SearchedWord {
	word: WeighedWord;
	expression: string;
	ids: number[];
	/** Whether `ids` lists all passages with the word. */
	isComplete: boolean;
}

/** Searches the index. Takes a few milliseconds per word, however many passages there are. */
export function searchPassages(store: IndexStore, request: SearchRequest): FoundMessages {
	const scope = createScopeExpression(request, request.now);
	const passageCount = Number(store.all('select max(id) as n from passages')[0]?.n ?? 0);
	const searchedWords = parseRecallQuery(request.query).map((word) =>
		searchWord(store, word, scope, passageCount),
	);
	const words = searchedWords.map(({ word }) => word);
	const ids = findCandidates(store, searchedWords, scope);
	const best = new Map<string, FoundMessage>();
	let distinct: FoundMessage[] = [];
	let rankedCount = 0;
	// A resumed session repeats earlier messages, so most of the first candidates may be copies of a few messages.
	while (rankedCount < ids.length && distinct.length < request.limit) {
		const batch = ids.slice(rankedCount, rankedCount + candidatesPerBatch);
		rankCandidates(store, batch, { words, request, best });
		distinct = sortDistinct(best);
		rankedCount += batch.length;
	}
	return { messages: distinct.slice(0, request.limit), words, rankedCount, searchedCount: passageCount };
}

function findPassages(store: IndexStore, expression: string, limit: number): number[] {
	return store
		.all('select rowid as id from words where words match ? order by rowid desc limit ?', [expression, limit])
		.map(({ id }) => Number(id));
}

function searchWord(store: IndexStore, word: QueryWord, scope: string, passageCount: number): SearchedWord {
	let expression = `text : "${word.terms.join(' ')}"`;
	let ids = findPassages(store, `${expression}${scope}`, maxPerWord);
	const isPrefixTried =
		ids.length === 0 && word.terms.length === 1 && (word.terms[0] ?? '').length >= minPrefixLength;
	if (isPrefixTried) {
		expression += ' *';
		ids = findPassages(store, `${expression}${scope}`, maxPerWord);
	}
	const isComplete = ids.length < maxPerWord;
	// Only the newest passages of a common word are known. The range of their ids estimates how frequent the word is.
	const containing = isComplete
		? ids.length
		: (maxPerWord * passageCount) / Math.max(1, passageCount - (ids.at(-1) ?? 0));
	return { word: { ...word, weight: computeRarity(containing, passageCount) }, expression, ids, isComplete };
}

/** Returns the ids of the passages with the highest sum of word weights, best first. */
function findCandidates(store: IndexStore, words: readonly SearchedWord[], scope: string): number[] {
	const searchedWords = words
		.filter(({ ids }) => ids.length > 0)
		.sort((one, other) => other.word.weight - one.word.weight);
	const scores = new Map<number, number>();
	const add = (ids: readonly number[], weight: number): void => {
		for (const id of ids) scores.set(id, (scores.get(id) ?? 0) + weight);
	};
	for (const { ids, word } of searchedWords) add(ids, word.weight);
	const addAll = (together: readonly SearchedWord[]): void => {
		const expression = together.map((one) => one.expression).join(' AND ');
		const weight = together.reduce((sum, { word, isComplete }) => sum + (isComplete ? 0 : word.weight), 0);
		add(findPassages(store, `${expression}${scope}`, maxPerCombination), weight);
	};
	const rarest = searchedWords.slice(0, maxCombinedWords);
	for (const [index, one] of rarest.entries()) {
		for (const other of rarest.slice(index + 1)) {
			if (!isRare(one) && !isRare(other)) addAll([one, other]);
		}
	}
	if (rarest.length === maxCombinedWords && !rarest.some(isRare)) addAll(rarest);
	return [...scores]
		.sort(([id, score], [otherId, otherScore]) => otherScore - score || otherId - id)
		.slice(0, maxCandidates)
		.map(([id]) => id);
}

/** Whether one query can read all passages with this word, so that looking it up with other words is not needed. */
function isRare({ isComplete, ids }: SearchedWord): boolean {
	return isComplete && ids.length <= candidatesPerBatch;
}

/** A query, and the best passage of each message found so far. */
interface Ranking {
	words: readonly WeighedWord[];
	request: SearchRequest;
	/** Best passages, by recording id and message id. */
	best: Map<string, FoundMessage>;
}

/** Reads and ranks candidates; adds the best passage of each message to `best`. */
function rankCandidates(
	store: IndexStore,
	ids: readonly number[],
	{ words, request: { since = 0, signals = allRankSignals }, best }: Ranking,
): void {
	const rows = store.all(
		`select recordingId, messageId, seq, role, isGenerated, tool, path, at, content
		 from passages join recordings on recordings.id = passages.recording
		 where passages.id in (select value from json_each(?))`,
		[JSON.stringify(ids)],
	);
	for (const row of rows) {
		const message = rowToMessage(row);
		if (message.at < since) continue;
		const text = decodeText(row.content as Uint8Array);
		const isGenerated = row.isGenerated === 1;
		const score = scorePassage(words, { text, role: message.role, isGenerated }, signals);
		const key = `${row.recordingId} ${row.messageId}`;
		if (score <= (best.get(key)?.score ?? 0)) continue;
		best.set(key, { ...message, recordingId: String(row.recordingId), passage: text, score });
	}
}

/** Returns messages, best first, without copies: a resumed session repeats the messages of an earlier session. */
function sortDistinct(best: ReadonlyMap<string, FoundMessage>): FoundMessage[] {
	const ordered = [...best.values()].sort((one, other) => other.score - one.score || other.at - one.at);
	const seenHashes = new Set<number>();
	return ordered.filter(({ passage }) => {
		const hash = hashText(passage);
		const isNew = !seenHashes.has(hash);
		seenHashes.add(hash);
		return isNew;
	});
}
