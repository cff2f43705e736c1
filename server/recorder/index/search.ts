/** Finds passages for a query: candidates from the full-text index, then ranked by their texts. */

import { parseRecallQuery, type QueryWord } from '../../core/recall/question.ts';
import {
	allRankSignals,
	type RankSignals,
	rarityOf,
	scorePassage,
	type WeighedWord,
} from '../../core/recall/rankPassages.ts';
import { hashOf } from './hash.ts';
import { type IndexStore, passageText } from './indexStore.ts';
import { type SearchScope, scopeExpression } from './scope.ts';

/** Passages that are looked up for a word, newest first: a word with fewer is rare, and all of its passages are known. */
const maxPerWord = 400;
/** Passages that are looked up for two words, or for all of them, newest first. */
const maxPerPair = 100;
/** Rarest words whose pairs are looked up. */
const pairedWords = 4;
/** Candidates whose texts are read at a time. */
const candidatesAtOnce = 120;
/** Candidates whose texts are read at most: more than the first ones only if those are copies of fewer messages. */
const maxCandidates = 600;
/** Minimum length of a word that is also searched as the beginning of others, if nothing contains the word itself. */
const minPrefix = 4;

export interface SearchRequest extends SearchScope {
	query: string;
	/** Maximum number of messages. */
	limit: number;
	/** Milliseconds since the epoch. */
	now: number;
	/** All by default; the tests of ranking turn some off. */
	signals?: RankSignals;
}

/** A message that contains words of the query, by the best of its passages. */
export interface FoundMessage {
	recordingId: string;
	messageId: string;
	seq: number;
	role: string;
	toolName?: string;
	path?: string;
	at: number;
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
	// Resumed sessions repeat the messages of those before them, so the first candidates may be copies of a few.
	while (ranked < ids.length && found.length < request.limit) {
		const some = ids.slice(ranked, ranked + candidatesAtOnce);
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
		ids.length === 0 && word.terms.length === 1 && (word.terms[0] ?? '').length >= minPrefix;
	if (isPrefixTried) {
		expression += ' *';
		ids = lookUp(store, `${expression}${scope}`, maxPerWord);
	}
	const isComplete = ids.length < maxPerWord;
	// A common word is as frequent everywhere as among the newest passages, more or less.
	const containing = isComplete
		? ids.length
		: (maxPerWord * passages) / Math.max(1, passages - (ids.at(-1) ?? 0));
	return { word: { ...word, weight: rarityOf(containing, passages) }, expression, ids, isComplete };
}

/** The ids of passages that are worth reading, by the weights of the words that they are known to contain. */
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
		add(lookUp(store, `${expression}${scope}`, maxPerPair), weight);
	};
	for (const [index, one] of searched.slice(0, pairedWords).entries()) {
		for (const other of searched.slice(index + 1, pairedWords)) {
			if (!isRare(one) && !isRare(other)) addAll([one, other]);
		}
	}
	if (searched.length > 2 && !searched.some(isRare)) addAll(searched);
	return [...scores]
		.sort(([id, score], [otherId, otherScore]) => otherScore - score || otherId - id)
		.slice(0, maxCandidates)
		.map(([id]) => id);
}

/** Whether the texts of all passages with this word can be read at once, so that no other word must narrow them down. */
function isRare({ isComplete, ids }: SearchedWord): boolean {
	return isComplete && ids.length <= candidatesAtOnce;
}

/** What candidates are ranked by, and the best passage of each message so far. */
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
		const at = Number(row.at);
		if (at < since) continue;
		const text = passageText(row.content as Uint8Array);
		const role = String(row.role);
		const score = scorePassage(words, { text, role, isGenerated: row.isGenerated === 1 }, signals);
		const key = `${row.recordingId} ${row.messageId}`;
		if (score <= (best.get(key)?.score ?? 0)) continue;
		best.set(key, {
			recordingId: String(row.recordingId),
			messageId: String(row.messageId),
			seq: Number(row.seq),
			role,
			...(row.tool !== null && { toolName: String(row.tool) }),
			...(row.path !== null && { path: String(row.path) }),
			at,
			passage: text,
			score,
		});
	}
}

/** Returns messages, best first. A resumed session repeats the messages of the one before it: each is listed once. */
function distinctInOrder(best: ReadonlyMap<string, FoundMessage>): FoundMessage[] {
	const ordered = [...best.values()].sort((one, other) => other.score - one.score || other.at - one.at);
	const texts = new Set<number>();
	return ordered.filter(({ passage }) => {
		const hash = hashOf(passage);
		const isNew = !texts.has(hash);
		texts.add(hash);
		return isNew;
	});
}
