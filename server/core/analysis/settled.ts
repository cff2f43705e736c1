/** Statements of an agent that no longer matter: answered questions, old guesses, answers to requests taken back. */

import { isSupposition } from './cues.ts';
import type { Source } from './source.ts';
import { answersTakenBack, isTyped, type UserWord } from './userWords.ts';

/** Number of newest messages whose guesses are still open. */
const openMessages = 6;
const question = /(?:[?？]|か。?)\s*$/;

/** Whether a text asks something. */
export function isQuestion(text: string): boolean {
	return question.test(text);
}

/** Knows which statements of messages are settled. */
export class SettledWords {
	private readonly answered: ReadonlySet<Source>;
	private readonly takenBack: ReadonlySet<Source>;
	/** Ordinal of the first message whose guesses are still open. */
	private readonly openFrom: number;

	/** O(messages). */
	constructor(sources: readonly Source[], words: readonly UserWord[]) {
		this.answered = new Set(sources.filter((_, index) => isTypedAt(sources, index + 1)));
		this.takenBack = answersTakenBack(sources, words);
		this.openFrom = sources.at(-openMessages)?.seq ?? 0;
	}

	/** Whether a text of a message no longer matters, because a later answer or later work resolved it. */
	has(source: Source, text: string): boolean {
		if (source.role !== 'assistant') return false;
		if (this.takenBack.has(source)) return true;
		return (
			(this.answered.has(source) && isQuestion(text)) || (source.seq < this.openFrom && isSupposition(text))
		);
	}
}

function isTypedAt(sources: readonly Source[], index: number): boolean {
	const source = sources[index];
	return source !== undefined && isTyped(source);
}
