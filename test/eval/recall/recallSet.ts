/**
 * Sessions and questions for searches across sessions: the eval set and the talks, mixed with sessions that use the
 * same words but contain no answers.
 */

import { readFileSync } from 'node:fs';
import type { IdentifiedMessage } from '../../../server/protocol/conversation.ts';
import { randomFrom } from '../../support/generatedText.ts';
import { readEvalSet } from '../evalSet.ts';
import { messageText } from '../messageText.ts';
import { isAnswered } from '../questions.ts';
import { readTalks, talkMessages } from '../talks.ts';

/** Path of the questions, relative to the root of the repository. */
const questionsFile = 'test/eval/recall/questions.jsonl';
/** Number of sessions that answer no question, messages in each, and maximum lines of a message. */
const decoys = { sessions: 40, messages: 60, maxLines: 6 };

/** A person's memory of a message, as a query, and patterns that the message contains. */
export interface RecallQuestion {
	/** Name of the session with the message. */
	session: string;
	words: string;
	all: RegExp[];
	any: RegExp[];
	/** Whether no parameter of the ranking is tuned on this question. */
	isHeldOut: boolean;
}

export interface RecallSession {
	name: string;
	messages: IdentifiedMessage[];
}

/** Reads everything; the current folder must be the root of the repository. */
export async function readRecallSet(): Promise<{ sessions: RecallSession[]; questions: RecallQuestion[] }> {
	const questions = readQuestions();
	const { sessions: written } = await readEvalSet();
	const real = [
		...written.map(({ name, outline }) => ({
			name,
			messages: outline.entries.flatMap((entry) => (entry.t === 'message' ? (entry.message ?? []) : [])),
		})),
		...readTalks().map((talk) => ({ name: talk.name, messages: talkMessages(talk) })),
	];
	return { sessions: mixed(decoySessions(real, questions), real), questions };
}

/** Returns all sessions; the real ones are evenly spread among the others. */
function mixed(others: RecallSession[], real: readonly RecallSession[]): RecallSession[] {
	const distance = Math.ceil(others.length / real.length);
	return real.flatMap((session, index) => [
		...others.slice(index * distance, (index + 1) * distance),
		session,
	]);
}

/** Returns sessions of lines from the real ones, in random order. No message and no two adjacent ones answer a question. */
function decoySessions(
	real: readonly RecallSession[],
	questions: readonly RecallQuestion[],
): RecallSession[] {
	const random = randomFrom(37);
	const lines = real.flatMap(({ messages }) =>
		messages.flatMap((message) => messageText(message).split('\n')),
	);
	const telling = [...new Set(lines)].filter((line) => line.trim().length > 8);
	return Array.from({ length: decoys.sessions }, (_, session) => ({
		name: `decoy-${session}`,
		messages: Array.from({ length: decoys.messages }, (_, index): IdentifiedMessage => {
			const count = 1 + random(decoys.maxLines);
			const chosen = Array.from({ length: count }, () => telling[random(telling.length)] ?? '');
			const text = chosen.filter((line) => !questions.some((one) => isAnswered(one, line))).join('\n');
			const answers = questions.some((one) => isAnswered(one, text));
			return {
				id: `decoy-${session}-${index}`,
				role: index % 2 === 0 ? 'user' : 'assistant',
				content: answers ? '' : text,
			};
		}),
	}));
}

function readQuestions(): RecallQuestion[] {
	const patterns = (sources: string[]) => sources.map((source) => new RegExp(source, 'giu'));
	const lines = readFileSync(questionsFile, 'utf8').split('\n');
	return lines
		.filter((line) => line !== '')
		.map((line, index) => {
			const { session, words, all, any = [] } = JSON.parse(line);
			return { session, words, all: patterns(all), any: patterns(any), isHeldOut: index % 2 === 1 };
		});
}
