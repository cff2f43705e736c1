/**
 * Conversations in which a user states rules, constraints, facts, goals and preferences among small talk, and later replaces
 * two of these statements. While they grow, they are compacted five times to a fixed size.
 */

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { IdentifiedMessage } from '../../server/protocol/conversation.ts';
import { appendMessages } from '../../server/session/append.ts';
import { compactNow, historyOf, sessionWith, testWorld } from '../support/world.ts';
import { createCompactor } from './compactedView.ts';
import { conversationText } from './messageText.ts';
import { isAnswered } from './questions.ts';

/** Path of the conversations, relative to the root of the repository. */
const talksFolder = 'test/eval/talks';
/** Number of short messages of small talk in a conversation. */
const smallTalkMessages = 60;
const rounds = 5;
/** Size of the view after each round, as a share of the whole conversation's tokens, by name. */
export const talkShares = { '1/5': 0.2, '3/10': 0.3 } as const;

/** The newest version of something that a user states once. */
interface Statement {
	says: string;
	/** Patterns that a view matches if it contains the statement. */
	all: string[];
	/** The earlier statement that this one replaces, with a pattern that recognizes it in a view. */
	before?: { says: string; stale: string };
}

/** A conversation as its file describes it. */
interface Talk {
	name: string;
	statements: Statement[];
	smallTalk: string[];
	answers: string[];
}

/** Score of one conversation: its statements in the view after the last round. */
export interface TalkScore {
	talk: string;
	size: keyof typeof talkShares;
	/** Share of the statements that the view contains, 0 to 1. */
	kept: number;
	/** Statements that the view lacks. */
	lost: string[];
	/** Replaced statements that the view still shows. */
	outdated: string[];
	/** Characters of the view, divided by those of the conversation. */
	share: number;
	view: string;
}

/** Reads the conversations; the current folder must be the root of the repository. */
export function readTalks(): Talk[] {
	const read = (file: string) => JSON.parse(readFileSync(join(talksFolder, file), 'utf8'));
	const { smallTalk, answers } = read('shared.json');
	return readdirSync(talksFolder)
		.filter((file) => file !== 'shared.json')
		.sort()
		.map((file) => {
			const { language = 'en', ...talk } = read(file);
			return {
				name: file.replace('.json', ''),
				statements: talk.statements,
				smallTalk: [...talk.smallTalk, ...smallTalk[language]],
				answers: answers[language],
			};
		});
}

/** Compacts every conversation to each size. The same conversations give the same scores. */
export async function scoreTalks(talks: readonly Talk[] = readTalks()): Promise<TalkScore[]> {
	const scores: TalkScore[] = [];
	for (const talk of talks) {
		const messages = talkMessages(talk);
		for (const size of Object.keys(talkShares) as (keyof typeof talkShares)[])
			scores.push(
				scoreView(talk, size, conversationText(messages), await viewOf(messages, talkShares[size])),
			);
	}
	return scores;
}

function scoreView(
	{ name, statements }: Talk,
	size: TalkScore['size'],
	whole: string,
	view: string,
): TalkScore {
	const patterns = (all: string[]) => all.map((one) => new RegExp(one, 'giu'));
	const lost = statements.filter(({ all }) => !isAnswered({ all: patterns(all), any: [] }, view));
	const outdated = statements.flatMap(({ before }) =>
		before && new RegExp(before.stale, 'iu').test(view) ? [before.says] : [],
	);
	return {
		talk: name,
		size,
		kept: 1 - lost.length / statements.length,
		lost: lost.map(({ says }) => says),
		outdated,
		share: view.length / whole.length,
		view,
	};
}

/** Returns the model's messages after the last round. */
async function viewOf(messages: readonly IdentifiedMessage[], share: number): Promise<string> {
	const { tokens } = await createCompactor(messages);
	const targetTokens = Math.floor(share * tokens);
	const world = testWorld();
	world.configure({ estimator: 'calibrated' });
	const size = Math.ceil(messages.length / rounds);
	const session = await sessionWith(world, messages.slice(0, size));
	for (let round = 1; round <= rounds; round++) {
		await compactNow(session, { targetTokens });
		const added = messages.slice(round * size, (round + 1) * size);
		await appendMessages(session, added, 'contextd', world);
	}
	return conversationText(await historyOf(session));
}

/** Returns the messages of a conversation: a statement after every three messages of small talk, in mixed order. Replacing statements come in the second half. */
export function talkMessages({ statements, smallTalk, answers }: Talk): IdentifiedMessage[] {
	const mixed = statements.map((_, index) => statements[(index * 7 + 3) % statements.length]);
	const replacing = mixed.filter((one) => one?.before);
	const others = mixed.filter((one) => one && !one.before);
	const said = [...replacing.map((one) => one?.before?.says), ...others.map((one) => one?.says)];
	replacing.forEach((one, index) => void said.splice(-3 - 4 * index, 0, one?.says));
	const texts: string[] = [];
	for (let index = 0, stated = 0; index < smallTalkMessages; index++) {
		texts.push(smallTalk[(index * 23) % smallTalk.length] ?? '');
		const due = Math.ceil(((index + 1) * said.length) / smallTalkMessages);
		for (; stated < due && index > 0; stated++) texts.push(said[stated] ?? '');
	}
	return texts.flatMap((text, index): IdentifiedMessage[] => [
		{ id: `user-${index}`, role: 'user', content: text },
		{ id: `answer-${index}`, role: 'assistant', content: answers[(index * 5) % answers.length] ?? '' },
	]);
}
