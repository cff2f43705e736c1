/** What the user said: typed messages, and the answers that stand inside results of tools. */

import { firstWords } from '../ledger/cutWords.ts';
import { nameOf } from '../ledger/labels.ts';
import { quoteLine } from '../ledger/quote.ts';
import type { Source } from '../ledger/source.ts';
import { tuning, workLimits } from '../tuning.ts';
import { cleanText } from './clean.ts';

/** An answer begins within this much of a result: the host's own words precede it. UTF-16 units. */
const maxOpeningLength = 600;

/**
 * How agents open a result that quotes the user, word for word: Claude Code and those that took its words over, then Cline
 * and Roo. What precedes the quotation is the agent's own sentence, so a text that merely speaks of a user never fits.
 */
const refusalOpenings: readonly RegExp[] = [
	/^The user doesn't want to proceed with this tool use\. The tool use was rejected(?: \(eg\. [^()]{0,200}\))?\. (?:To tell you how to proceed, the user|The user) said:\s{0,4}/,
	/^The user denied this operation and (?:provided|responded with) the following feedback:\s{0,4}/,
	/^The user rejected permission to use this specific tool call with the following feedback:\s{0,4}/,
];

/** How a question tool's result begins if it quotes the user. */
const answerOpening = /^User has answered your questions?:\s{0,4}/;

/** Tools of agents that ask the user: all that they return is the user's answer. */
const askingTool =
	/^(?:ask_?user(?:_?questions?)?|ask_?human|ask_?followup(?:_?questions?)?|askquestion|request_?user_?input|user_?input|ask)$/i;
/** A tool of this name may ask the user or a service: its result has to begin with the agent's words. */
const questionTool = /^question$/i;

/** Tools whose results are written by programs, servers or people elsewhere: they can open with any words. */
const foreignOutput = /bash|shell|exec|command|terminal|run|fetch|http|web|browser|__/i;

/** Words by which a user takes the message before back. */
const takingBack =
	/^(?:\W*)(?:(?:oh|sorry|oops|no|wait|hm+|ok(?:ay)?|actually|ah|well)\b[,.! ]*)*(?:(?:please )?(?:ignore|disregard|forget|scratch|cancel) (?:(?:about )?(?:that|this|it)(?=\s*(?:$|[^\s\w]|please\b|and\b|for now\b|(?:last|one|message|request|question)\b))|(?:my|the) (?:last|previous|earlier|above|message|request|question)\b|what I\b)|never ?mind|wrong (?:chat|window|session|thread)|I take (?:that|it) back|vergiss (?:das|es)|ignorier|falscher chat|さっきの(?:は|発言).{0,8}(?:忘れ|無視|取り消)|(?:今の|前の)は(?:忘れ|無視|なし)|忽略(?:上|刚|前)|算了|当我没说|发错)/iu;
const undoing = /^\/undo\b/i;
/** What an `/undo` took back is named in so many UTF-16 units. */
const maxUndoneRequest = 60;

/** A question is at most so long. UTF-16 units. */
const maxQuestionLength = 200;
/** A shorter question is none that an answer needs. UTF-16 units without its mark. */
const minQuestionLength = 4;

/** Something that the user said. */
export interface UserWord {
	source: Source;
	text: string;
	/** `wrapped`: what the agent made of something that the user did, such as a command. */
	kind: 'typed' | 'answer' | 'wrapped';
	/** Where the user took it back. */
	takenBack?: Source;
	/** What the agent asked right before it. */
	asked?: string;
}

/** A message that somebody typed, as far as it says so itself. */
export function isTyped(source: Source): boolean {
	return source.role === 'user' && !source.injected && source.text.trim() !== '';
}

/** Returns the length of what precedes the user's words in a result; undefined if it holds none. */
function openingLength({ toolName = '', text, isError, answeredByUser }: Source): number | undefined {
	const beginning = text.slice(0, maxOpeningLength);
	const answered = answerOpening.exec(beginning)?.[0].length;
	if (!isError && askingTool.test(toolName)) return answered ?? 0;
	if (!isError && (answeredByUser || questionTool.test(toolName))) return answered;
	if (!isError || (!answeredByUser && foreignOutput.test(toolName))) return undefined;
	return refusalOpenings.map((opening) => opening.exec(beginning)?.[0].length).find((length) => length);
}

/**
 * Returns the user's words inside a result, at most `longestVerbatim` UTF-16 units; undefined if there are none. Only the
 * agent can say that it quotes the user: by its adapter's mark, or by its own words at the very start of the result, unless
 * the tool returns what others wrote.
 */
export function answerIn(source: Source): string | undefined {
	if (source.role !== 'tool') return undefined;
	const begin = openingLength(source);
	if (begin === undefined) return undefined;
	const answer = source.text.slice(begin, begin + workLimits.maxLengthOf.answer).trim();
	return answer.slice(0, tuning.lengths.maxVerbatim) || undefined;
}

/** All that the user said, oldest first. */
export function userWords(sources: readonly Source[]): UserWord[] {
	const undone = undoneRequests(sources);
	const words: UserWord[] = [];
	for (const [index, source] of sources.entries()) {
		if (isTyped(source)) {
			const last = words.findLast((word) => word.kind === 'typed');
			if (last && takingBack.test(source.text)) last.takenBack = source;
			const text = `${source.text.trim()}${undone.get(source) ?? ''}`;
			const asked = questionIn(sources[index - 1]);
			words.push({ source, text, kind: 'typed', ...(asked !== undefined && { asked }) });
			continue;
		}
		if (source.role === 'user' && source.text.length <= tuning.lengths.maxVerbatim) {
			if (cleanText(source.text) === '') continue;
			words.push({ source, text: source.text.trim(), kind: 'wrapped' });
			continue;
		}
		const answer = answerIn(source);
		if (answer !== undefined) words.push({ source, text: answer, kind: 'answer' });
	}
	return words;
}

/** The question that an agent's message ends with. */
function questionIn(source: Source | undefined): string | undefined {
	if (source?.role !== 'assistant') return undefined;
	const end = source.text.slice(-maxQuestionLength).trimEnd();
	if (!end.endsWith('?') && !end.endsWith('？')) return undefined;
	const asked =
		end
			.slice(0, -1)
			.split(/[.!?。！？\n]/)
			.at(-1) ?? '';
	return asked.length < minQuestionLength ? undefined : `${asked}${end.at(-1)}`.trim();
}

/** By each message that undid work, which work it was, and what had been asked for: ` (of #6: Rename the tables)`. */
function undoneRequests(sources: readonly Source[]): Map<Source, string> {
	const requests = new Map<Source, string>();
	for (const [work, undoing] of undoneWork(sources)) {
		if (requests.has(undoing)) continue;
		const request = sources.findLast((source) => source.seq < work.seq && isTyped(source));
		const words = request ? `: ${quoteLine(firstWords(request.text.trim(), maxUndoneRequest))}` : '';
		requests.set(undoing, ` (of ${nameOf(work)}${words})`);
	}
	return requests;
}

/** Returns the messages that the user took back. */
export function takenBackIn(words: readonly UserWord[]): Set<Source> {
	return new Set(words.flatMap(({ source, takenBack }) => (takenBack ? [source] : [])));
}

/** What an agent said, and did not do, about messages that their user then took back. O(messages). */
export function answersTakenBack(sources: readonly Source[], words: readonly UserWord[]): Set<Source> {
	const takenBackIn = new Map(words.map(({ source, takenBack }) => [source, takenBack]));
	const answers = new Set<Source>();
	let end: Source | undefined;
	for (const source of sources) {
		if (source === end) end = undefined;
		if (end && source.role === 'assistant' && source.calls.length === 0) answers.add(source);
		end = takenBackIn.get(source) ?? end;
	}
	return answers;
}

/** The messages whose work the user undid, with the one that did: the agent's turn right before an `/undo`. */
export function undoneWork(sources: readonly Source[]): Map<Source, Source> {
	const undone = new Map<Source, Source>();
	const turns: Source[][] = [];
	let isTurn = false;
	for (const source of sources) {
		if (source.role === 'assistant' && isTurn) turns.at(-1)?.push(source);
		else if (source.role === 'assistant') turns.push([source]);
		isTurn = source.role === 'assistant' || (isTurn && !isTyped(source));
		if (!isTyped(source) || !undoing.test(source.text.trim())) continue;
		for (const work of turns.pop() ?? []) undone.set(work, source);
	}
	return undone;
}
