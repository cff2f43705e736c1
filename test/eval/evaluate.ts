/** Measures what compactions of a folder's sessions preserve, next to the baselines. */

import type { ChatMessage, IdentifiedMessage } from '../../server/protocol/conversation.ts';
import { baselines } from './baselines.ts';
import { type Compactor, createCompactor } from './compactedView.ts';
import { type Boundary, boundariesOf, splitSession } from './cut.ts';
import type { EvalFolder, EvalSession, Label, Question } from './evalFolder.ts';
import type { FalseStatement } from './falseStatements/checkedView.ts';
import { falseStatements } from './falseStatements/falseStatements.ts';
import { conversationText } from './messageText.ts';
import { type FactScore, neededFacts, scoreFacts } from './neededFacts.ts';
import { isAnswered } from './questions.ts';

/** Sizes to which a history is compacted, as shares of its tokens. */
const shares = { '1/2': 1 / 2, '1/4': 1 / 4, '1/10': 1 / 10 } as const;
/** Sizes to which a history is compacted where its agent compacted it, as multiples of the size of the agent's summary. */
const multiples = [1, 2, 4] as const;
/** Minimum number of needed facts at a boundary; fewer would be meaningless. */
const minBoundaryFacts = 8;

/** The score of one view. */
export interface ViewScore {
	session: string;
	/** Size of the view, such as `1/4`; at a boundary such as `2x`. */
	size: string;
	/** `contextd` or the name of a baseline. At a boundary also `agent`: the summary by the agent's own model. */
	source: string;
	characters: number;
	/** Characters of the view, divided by the characters of the history. At a boundary, divided by its allowed characters. */
	share: number;
	facts: FactScore;
	/** The questions that the view answers, by their text. */
	answered: string[];
	/** False statements in the view; absent for the summary of an agent's own model. */
	falseStatements?: FalseStatement[];
}

export interface Evaluation {
	views: ViewScore[];
	boundaries: ViewScore[];
	questions: Question[];
	skipped: EvalFolder['skipped'];
}

/** Evaluates every session of a folder, one after the other. The same folder gives the same figures. */
export async function evaluate(folder: EvalFolder): Promise<Evaluation> {
	const views: ViewScore[] = [];
	const boundaries: ViewScore[] = [];
	for (const session of folder.sessions) {
		const questions = folder.questions.filter((one) => one.session === session.name);
		const labels = folder.labels.filter((one) => one.session === session.name);
		views.push(...(await scoreSession(session, questions, labels)));
		for (const boundary of boundariesOf(session))
			boundaries.push(...(await scoreBoundary(session, boundary)));
	}
	return { views, boundaries, questions: folder.questions, skipped: folder.skipped };
}

async function scoreSession(
	session: EvalSession,
	questions: readonly Question[],
	labels: readonly Label[],
): Promise<ViewScore[]> {
	const { before, after } = splitSession(session);
	if (before.length === 0) return [];
	const needed = neededFacts(before, after);
	const history = conversationText(before);
	const compactor = await compactorOf(session, before);
	const scores: ViewScore[] = [];
	for (const [size, share] of Object.entries(shares)) {
		const view = await compactor.viewOf(Math.max(1, Math.floor(compactor.tokens * share)));
		for (const [source, messages] of contenders(before, view)) {
			const text = conversationText(messages);
			scores.push({
				session: session.name,
				size,
				source,
				characters: text.length,
				share: text.length / history.length,
				facts: scoreFacts(needed, text, history),
				answered: questions.filter((one) => isAnswered(one, text)).map(({ question }) => question),
				falseStatements: falseStatements(before, messages, labels),
			});
		}
	}
	return scores;
}

/** A session whose views by contextd can be measured repeatedly. */
export interface PreparedSession {
	session: EvalSession;
	questions: readonly Question[];
	before: readonly IdentifiedMessage[];
	history: string;
	needed: ReturnType<typeof neededFacts>;
}

/** Splits the sessions of a folder and collects the facts that each session needs after its split point. */
export function prepareSessions({ sessions, questions }: EvalFolder): PreparedSession[] {
	return sessions.flatMap((session) => {
		const { before, after } = splitSession(session);
		if (before.length === 0) return [];
		const own = questions.filter((one) => one.session === session.name);
		const history = conversationText(before);
		return [{ session, questions: own, before, history, needed: neededFacts(before, after) }];
	});
}

/** Scores the views of contextd, without baselines and false statements. */
export async function scoreViews(prepared: readonly PreparedSession[]): Promise<ViewScore[]> {
	const scores: ViewScore[] = [];
	for (const { session, questions, before, history, needed } of prepared) {
		const compactor = await compactorOf(session, before);
		for (const [size, share] of Object.entries(shares)) {
			const text = conversationText(
				await compactor.viewOf(Math.max(1, Math.floor(compactor.tokens * share))),
			);
			scores.push({
				session: session.name,
				size,
				source: 'contextd',
				characters: text.length,
				share: text.length / history.length,
				facts: scoreFacts(needed, text, history),
				answered: questions.filter((one) => isAnswered(one, text)).map(({ question }) => question),
			});
		}
	}
	return scores;
}

async function scoreBoundary(
	session: EvalSession,
	{ before, after, summary }: Boundary,
): Promise<ViewScore[]> {
	const needed = neededFacts(before, after);
	if (needed.length < minBoundaryFacts) return [];
	const history = conversationText(before);
	const compactor = await compactorOf(session, before);
	const scores: ViewScore[] = [];
	for (const multiple of multiples) {
		const characters = summary.length * multiple;
		const target = Math.max(1, Math.floor((compactor.tokens * characters) / history.length));
		const view = await compactor.viewOf(target);
		const texts = contenders(before, view).map(([source, messages]) => [source, conversationText(messages)]);
		for (const [source = '', text = ''] of multiple === 1 ? [['agent', summary], ...texts] : texts) {
			scores.push({
				session: session.name,
				size: `${multiple}x`,
				source,
				characters: text.length,
				share: text.length / characters,
				facts: scoreFacts(needed, text, history),
				answered: [],
			});
		}
	}
	return scores;
}

function compactorOf({ outline }: EvalSession, history: readonly IdentifiedMessage[]): Promise<Compactor> {
	return createCompactor(history, outline.info);
}

/** Returns the view of contextd, and the view of each baseline with as many characters. */
function contenders(
	history: readonly ChatMessage[],
	view: readonly ChatMessage[],
): [string, readonly ChatMessage[]][] {
	const characters = conversationText(view).length;
	return [
		['contextd', view],
		...Object.entries(baselines).map(([name, baseline]): [string, readonly ChatMessage[]] => [
			name,
			baseline(history, characters),
		]),
	];
}
