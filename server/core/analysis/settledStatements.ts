/** Finds agent statements that no longer matter: answered questions, old guesses, answers to withdrawn requests. */

import { isGuess, isQuestion } from './cues.ts';
import type { Source } from './source.ts';
import { findAnswersTakenBack, isTyped, type UserStatement } from './userStatements.ts';

/** Number of newest messages whose guesses still count as open. */
const openMessageCount = 6;

/** Decides which statements of messages are settled. */
export class SettledStatements {
	private readonly answeredSources: ReadonlySet<Source>;
	private readonly answersTakenBack: ReadonlySet<Source>;
	/** Ordinal of the first message whose guesses still count as open. */
	private readonly firstOpenSeq: number;

	/** Finds the answered questions, and the answers to requests that the user took back. O(messages). */
	constructor(sources: readonly Source[], statements: readonly UserStatement[]) {
		this.answeredSources = new Set(
			sources.flatMap((one, index) => (isTyped(one) ? (sources[index - 1] ?? []) : [])),
		);
		this.answersTakenBack = findAnswersTakenBack(sources, statements);
		this.firstOpenSeq = sources.at(-openMessageCount)?.seq ?? 0;
	}

	/** Whether a later answer or later work settled a text of a message. */
	has(source: Source, text: string): boolean {
		if (source.role !== 'assistant') return false;
		if (this.answersTakenBack.has(source)) return true;
		return (
			(this.answeredSources.has(source) && isQuestion(text)) ||
			(source.seq < this.firstOpenSeq && isGuess(text))
		);
	}
}
