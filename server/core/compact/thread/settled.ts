/** What an agent said that nobody needs any more: answered questions, guesses that the work went past, words taken back. */

import type { Source } from '../ledger/source.ts';
import { isGuess } from './cues.ts';
import { answersTakenBack, isTyped, type UserWord } from './userWords.ts';

/** Messages before the newest one whose guesses are still open. */
const openMessages = 6;
const question = /(?:[?？]|か。?)\s*$/;

/** Whether a text asks something. */
export function isQuestion(text: string): boolean {
	return question.test(text);
}

/** Which of the words of these messages are settled. */
export class Settled {
	private readonly answered: ReadonlySet<Source>;
	private readonly takenBack: ReadonlySet<Source>;
	private readonly past: ReadonlySet<Source>;

	/** O(messages). */
	constructor(sources: readonly Source[], words: readonly UserWord[]) {
		this.answered = new Set(sources.filter((_, index) => isTypedAt(sources, index + 1)));
		this.takenBack = answersTakenBack(sources, words);
		this.past = new Set(sources.slice(0, -openMessages));
	}

	/** Whether these words of a message say nothing that still counts; the user's answer and the work say what came of them. */
	has(source: Source, text: string): boolean {
		if (source.role !== 'assistant') return false;
		if (this.takenBack.has(source)) return true;
		return (this.answered.has(source) && isQuestion(text)) || (this.past.has(source) && isGuess(text));
	}
}

function isTypedAt(sources: readonly Source[], index: number): boolean {
	const source = sources[index];
	return source !== undefined && isTyped(source);
}
