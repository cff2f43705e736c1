/** Measures how well a search across sessions finds what a person remembers. */

import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RankSignals } from '../../../server/core/recall/rankPassages.ts';
import { Archive } from '../../../server/recorder/archive/archive.ts';
import { SearchIndex } from '../../../server/recorder/index/searchIndex.ts';
import { removeFolder } from '../../support/removeFolder.ts';
import { isAnswered } from '../questions.ts';
import { type RecallQuestion, type RecallSession, readRecallSet } from './recallSet.ts';

/** Number of examined matches. */
const maxMatches = 5;
/** Time of the newest session, in milliseconds since the epoch. */
const newestAt = Date.UTC(2026, 10, 20);
/** Milliseconds between two sessions. */
const distanceMs = 12 * 3600 * 1000;

/** A question with the rank of the first match that answers it, from 1; 0 if none of the first five does. */
export interface AskedQuestion {
	question: RecallQuestion;
	rank: number;
	/** Text of the first match, to show what was found instead of an answer. */
	first?: string;
}

/** Share of questions that were answered by the first match, and by one of the first five. 0 to 1. */
export interface RecallShares {
	questions: number;
	first: number;
	firstFive: number;
}

export function recallShares(asked: readonly AskedQuestion[]): RecallShares {
	const share = (until: number) =>
		asked.filter(({ rank }) => rank > 0 && rank <= until).length / Math.max(1, asked.length);
	return { questions: asked.length, first: share(1), firstFive: share(maxMatches) };
}

/** An index of sessions, in a temporary folder until it is closed. */
export class RecallBench {
	readonly #folder = mkdtempSync(join(tmpdir(), 'contextd-recall-'));
	readonly #archive = new Archive(join(this.#folder, 'archive.sqlite'));
	readonly #names = new Map<string, string>();
	#index: SearchIndex | undefined;

	/** Records and indexes the sessions; the newest session is the last. */
	async fill(sessions: readonly RecallSession[]): Promise<void> {
		for (const [order, { name, messages }] of sessions.entries()) {
			const info = { agent: 'contextd', label: 'contextd', path: `/sessions/${name}` };
			const { recordingId } = this.#archive.create(info);
			this.#names.set(recordingId, name);
			const at = newestAt - (sessions.length - order) * distanceMs;
			const entries = messages.map((message) => ({ at, text: JSON.stringify(message) }));
			this.#archive.append(recordingId, { entries });
		}
		this.#index = new SearchIndex(this.#archive, join(this.#folder, 'index.sqlite'), (text) => {
			throw new Error(text);
		});
		await this.#index.whenSettled();
	}

	ask(question: RecallQuestion, signals?: RankSignals): AskedQuestion {
		const found = this.#index?.search({
			query: question.words,
			limit: maxMatches,
			now: newestAt,
			...(signals && { signals }),
		}).messages;
		const isHit = (match: NonNullable<typeof found>[number]): boolean =>
			this.#names.get(match.recordingId) === question.session && isAnswered(question, match.passage);
		const [first] = found ?? [];
		return {
			question,
			rank: 1 + (found?.findIndex(isHit) ?? -1),
			...(first && { first: `${this.#names.get(first.recordingId)}: ${first.passage}` }),
		};
	}

	async close(): Promise<void> {
		this.#index?.close();
		this.#archive.close();
		await removeFolder(this.#folder);
	}
}

/** Measures searches in the sessions of this repository: for the questions that ranking was tuned on, and for the others. */
export async function scoreRecall(): Promise<Record<'tuned' | 'held out', RecallShares>> {
	const { sessions, questions } = await readRecallSet();
	const bench = new RecallBench();
	try {
		await bench.fill(sessions);
		const asked = questions.map((question) => bench.ask(question));
		const sharesOf = (isHeldOut: boolean) =>
			recallShares(asked.filter(({ question }) => question.isHeldOut === isHeldOut));
		return { tuned: sharesOf(false), 'held out': sharesOf(true) };
	} finally {
		await bench.close();
	}
}
