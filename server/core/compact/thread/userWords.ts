/** What the user said: typed messages, and the answers that stand inside results of tools. */

import type { Source } from '../ledger/source.ts';
import { cleanText } from './clean.ts';
import { answerWithin, longestVerbatim, mostRead } from './tuning.ts';

/** How an answer of the user begins inside the result of a tool that was refused or that asked. */
const answerMarks =
	/(?:the user (?:said|provided|responded|answered|replied)(?: with)?(?: the following[^:\n]{0,40})?|user (?:has )?(?:answered|responded|replied)(?: (?:to )?your questions?)?|user (?:feedback|response|answer))\s*:\s*/i;
/** Tools that ask the user. One that asks a question may ask a service: there its answer has to name the user. */
const askingTool =
	/ask.?(?:user|human|followup)|^askquestion$|user.?(?:input|question)|request.?user|elicit|question.?user|^ask$/i;

/** Words of a refusal, behind which alone a tool that does not ask gives the user's words. */
const refusing =
	/\b(?:doesn't want|does not want|didn't want|rejected|denied|declined|refused|interrupted|user (?:has )?(?:answered|responded|replied))\b/i;

/** Words by which a user takes the message before back. */
const takingBack =
	/^(?:\W*)(?:(?:oh|sorry|oops|no|wait|hm+)\b[,.! ]*)*(?:(?:please )?(?:ignore|disregard|forget|scratch|cancel) (?:(?:about )?(?:that|this|it)(?=\s*(?:$|[^\s\w]|please\b|and\b|for now\b|(?:last|one|message|request|question)\b))|(?:my|the) (?:last|previous|earlier|above|message|request|question)\b|what I\b)|never ?mind|wrong (?:chat|window|session|thread)|I take (?:that|it) back|vergiss (?:das|es)|ignorier|falscher chat|さっきの(?:は|発言).{0,8}(?:忘れ|無視|取り消)|(?:今の|前の)は(?:忘れ|無視|なし)|忽略(?:上|刚|前)|算了|当我没说|发错)/iu;
const undoing = /^\/undo\b/i;

/** Something that the user said. */
export interface UserWord {
	source: Source;
	text: string;
	/** `wrapped`: what the agent made of something that the user did, such as a command. */
	kind: 'typed' | 'answer' | 'wrapped';
	/** Where the user took it back. */
	takenBack?: Source;
}

/** A message that somebody typed, as far as it says so itself. */
export function isTyped(source: Source): boolean {
	return source.role === 'user' && !source.injected && source.text.trim() !== '';
}

/** The answer of the user inside a result; undefined where there is none. */
export function answerIn(source: Source): string | undefined {
	if (source.role !== 'tool') return undefined;
	const name = source.toolName ?? '';
	const mayAsk = askingTool.test(name);
	const isQuestion = /question/i.test(name);
	// Most results are of other tools, and tell of no failure: they are not looked into.
	if (!mayAsk && !isQuestion && !source.isError) return undefined;
	const found = answerMarks.exec(source.text.slice(0, answerWithin));
	const asks = mayAsk || (found !== null && isQuestion);
	const begin = found ? found.index + found[0].length : 0;
	// What a tool merely shows may speak of users, too.
	if (!asks && !(found && source.isError && refusing.test(source.text.slice(0, begin)))) return undefined;
	if (!found && source.isError) return undefined;
	const answer = source.text.slice(begin, begin + mostRead.answer).trim();
	return answer.slice(0, longestVerbatim) || undefined;
}

/** All that the user said, oldest first. */
export function userWords(sources: readonly Source[]): UserWord[] {
	const words: UserWord[] = [];
	for (const source of sources) {
		if (isTyped(source)) {
			const last = words.findLast((word) => word.kind === 'typed');
			if (last && takingBack.test(source.text)) last.takenBack = source;
			words.push({ source, text: source.text.trim(), kind: 'typed' });
			continue;
		}
		if (source.role === 'user' && source.text.length <= longestVerbatim) {
			if (cleanText(source.text) === '') continue;
			words.push({ source, text: source.text.trim(), kind: 'wrapped' });
			continue;
		}
		const answer = answerIn(source);
		if (answer !== undefined) words.push({ source, text: answer, kind: 'answer' });
	}
	return words;
}

/** The messages whose work the user undid, with the one that did: the answer right before an `/undo`. */
export function undoneWork(sources: readonly Source[]): Map<Source, Source> {
	const undone = new Map<Source, Source>();
	const done: Source[] = [];
	for (const source of sources) {
		if (source.role === 'assistant') done.push(source);
		if (!isTyped(source) || !undoing.test(source.text.trim())) continue;
		const work = done.pop();
		if (work) undone.set(work, source);
	}
	return undone;
}
