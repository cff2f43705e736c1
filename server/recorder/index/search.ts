/** Finds passages for a query: candidates from the full-text index, then ranked by their texts. */

import { rarityOf } from '../../core/recall/bm25.ts';
import { parseRecallQuery, type QueryWord } from '../../core/recall/question.ts';
import {
	allRankSignals,
	type RankSignals,
	scorePassage,
	type WeighedWord,
} from '../../core/recall/rankPassages.ts';
import { textHash } from './hash.ts';
import { type IndexStore, passageText } from './indexStore.ts';
import { messageOfRow, type RecordingMessage } from './message.ts';
import { type SearchScope, scopeExpression } from './scope.ts';

/** Maximum passages looked up for a word, newest first. A word with fewer is rare: all of its passages are known. */
const maxPerWord = 400;
/** Maximum passages looked up for several words together, newest first. */
const maxTogether = 100;
/** How many of the rarest words are also looked up together. Using more takes longer and improves nothing. */
const wordsTogether = 3;
/** Candidates whose texts are read at a time. */
const candidatesPerBatch = 120;
/** Maximum candidates whose texts are read. More than one batch is read only if many of them are copies. */
const maxCandidates = 600;
/** Minimum length of a word that is searched as a prefix if no passage contains the word itself. */
const minPrefixLength = 4;

export interface SearchRequest extends SearchScope {
	query: string;
	/** Maximum number of messages. */
	limit: number;
	/** Milliseconds since the epoch. */
	now: number;
	/** All by default; the tests of ranking turn some off. */
	signals?: RankSignals;
}

/** A message that contains words of the query, with the best of its passages. */
export interface FoundMessage extends RecordingMessage {
	recordingId: string;
	passage: string;
	score: number;
}

export interface FoundMessages {
	/** Best first. */
	found: FoundMessage[];
	words: WeighedWord[];
	/** Number of passages that were ranked. */
	ranked: number;
	/** Number of passages in the index. */
	searched: number;
}

/** A word with its expression in the full-text index and the passages that contain it. */
interface SearchedWord {
	word: WeighedWord;
	expression: string;
	ids: number[];
	/** Whether `ids` are all of its passages. */
	isComplete: boolean;
}

/** Searches the index. Takes a few milliseconds per word, for any number of passages. */
export function searchPassages(store: IndexStore, request: SearchRequest): FoundMessages {
	const scope = scopeExpression(request, request.now);
	const passages = Number(store.all('select max(id) as n from passages')[0]?.n ?? 0);
	const searched = parseRecallQuery(request.query).words.map((word) =>
		searchWord(store, word, scope, passages),
	);
	const words = searched.map(({ word }) => word);
	const ids = candidatesOf(store, searched, scope);
	const best = new Map<string, FoundMessage>();
	let found: FoundMessage[] = [];
	let ranked = 0;
	// A resumed session repeats earlier messages: most of the first candidates may be copies of a few messages.
	while (ranked < ids.length && found.length < request.limit) {
		const some = ids.slice(ranked, ranked + candidatesPerBatch);
		rankCandidates(store, some, { words, request, best });
		found = distinctInOrder(best);
		ranked += some.length;
	}
	return { found: found.slice(0, request.limit), words, ranked, searched: passages };
}

function phraseOf({ terms }: QueryWord): string {
	return `text : "${terms.join(' ')}"`;
}

function lookUp(store: IndexStore, expression: string, limit: number): number[] {
	return store
		.all('select rowid as id from words where words match ? order by rowid desc limit ?', [expression, limit])
		.map(({ id }) => Number(id));
}

function searchWord(store: IndexStore, word: QueryWord, scope: string, passages: number): SearchedWord {
	let expression = phraseOf(word);
	let ids = lookUp(store, `${expression}${scope}`, maxPerWord);
	const isPrefixTried =
		ids.length === 0 && word.terms.length === 1 && (word.terms[0] ?? '').length >= minPrefixLength;
	if (isPrefixTried) {
		expression += ' *';
		ids = lookUp(store, `${expression}${scope}`, maxPerWord);
	}
	const isComplete = ids.length < maxPerWord;
	// Assumes that a common word is as frequent in all passages as in the newest ones.
	const containing = isComplete
		? ids.length
		: (maxPerWord * passages) / Math.max(1, passages - (ids.at(-1) ?? 0));
	return { word: { ...word, weight: rarityOf(containing, passages) }, expression, ids, isComplete };
}

/** Returns the ids of the most promising passages, by the weights of the words that they are known to contain. */
function candidatesOf(store: IndexStore, words: readonly SearchedWord[], scope: string): number[] {
	const searched = words
		.filter(({ ids }) => ids.length > 0)
		.sort((one, other) => other.word.weight - one.word.weight);
	const scores = new Map<number, number>();
	const add = (ids: readonly number[], weight: number): void => {
		for (const id of ids) scores.set(id, (scores.get(id) ?? 0) + weight);
	};
	for (const { ids, word } of searched) add(ids, word.weight);
	const addAll = (together: readonly SearchedWord[]): void => {
		const expression = together.map((one) => one.expression).join(' AND ');
		const weight = together.reduce((sum, { word, isComplete }) => sum + (isComplete ? 0 : word.weight), 0);
		add(lookUp(store, `${expression}${scope}`, maxTogether), weight);
	};
	const rarest = searched.slice(0, wordsTogether);
	for (const [index, one] of rarest.entries()) {
		for (const other of rarest.slice(index + 1)) {
			if (!isRare(one) && !isRare(other)) addAll([one, other]);
		}
	}
	if (rarest.length === wordsTogether && !rarest.some(isRare)) addAll(rarest);
	return [...scores]
		.sort(([id, score], [otherId, otherScore]) => otherScore - score || otherId - id)
		.slice(0, maxCandidates)
		.map(([id]) => id);
}

/** Whether the texts of all passages with this word can be read at once, so that no other word must narrow them down. */
function isRare({ isComplete, ids }: SearchedWord): boolean {
	return isComplete && ids.length <= candidatesPerBatch;
}

/** The query by which candidates are ranked, and the best passage of each message so far. */
interface Ranking {
	words: readonly WeighedWord[];
	request: SearchRequest;
	/** By the ids of the recording and the message. */
	best: Map<string, FoundMessage>;
}
/** Reads candidates and keeps the best passage of each message. */
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
		const message = messageOfRow(row);
		if (message.at < since) continue;
		const text = passageText(row.content as Uint8Array);
		const isGenerated = row.isGenerated === 1;
		const score = scorePassage(words, { text, role: message.role, isGenerated }, signals);
		const key = `${row.recordingId} ${row.messageId}`;
		if (score <= (best.get(key)?.score ?? 0)) continue;
		best.set(key, { ...message, recordingId: String(row.recordingId), passage: text, score });
	}
}

/** Returns messages, best first. A resumed session repeats the messages of the one before it: each is listed once. */
function distinctInOrder(best: ReadonlyMap<string, FoundMessage>): FoundMessage[] {
	const ordered = [...best.values()].sort((one, other) => other.score - one.score || other.at - one.at);
	const texts = new Set<number>();
	return ordered.filter(({ passage }) => {
		const hash = textHash(passage);
		const isNew = !texts.has(hash);
		texts.add(hash);
		return isNew;
	});
}
