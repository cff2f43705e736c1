/** Collects what users said: typed messages, and answers in tool results. */

import { tuning, workLimits } from '../../compact/tuning.ts';
import { forEachInSlices, type SlicedTask } from '../../slices.ts';
import { type AnalysisCache, getMessageParts } from '../message/analyses.ts';
import { type OwnWords, readOwnWords } from '../message/pasted.ts';
import { findRemovedCommit, findReportedCommit } from '../message/programReports.ts';
import { getMessageName, type Source } from '../message/source.ts';
import { isAboutClient, readCommandLine } from '../message/typedCommands.ts';
import { cleanText } from '../text/clean.ts';
import { quoteLine, truncateAtWord, truncateWithMark } from '../text/quote.ts';
import { findChosenOptions } from './chosenOptions.ts';
import { findAnsweredQuestion } from './closingQuestion.ts';

/** Maximum length of the agent's own text before the user's answer in a result. UTF-16 units. */
const maxOpeningLength = 600;

/**
 * Starts of results that quote the user word for word: first Claude Code and agents with the same wording, then Cline and
 * Roo. The patterns require a fixed sentence of the agent before the quotation, so a mere mention of a user does not
 * match.
 */
const refusalOpeningPatterns: readonly RegExp[] = [
	/^The user doesn't want to proceed with this tool use\. The tool use was rejected(?: \(eg\. [^()]{0,200}\))?\. (?:(?:To tell you how to proceed, the user|The user) said|The user provided the following reason for the rejection):\s{0,4}/,
	/^The user denied this operation and (?:provided|responded with) the following feedback:\s{0,4}/,
	/^The user rejected permission to use this specific tool call with the following feedback:\s{0,4}/,
];

/** Start of a question tool's result that quotes the user. */
const answerOpeningPattern =
	/^(?:User has answered your questions?|Your questions? ha(?:s|ve) been answered):\s{0,4}/;

/** What Claude Code adds after the user's answers and reasons. */
const answerClosingPattern =
	/\.? You can now continue with (?:the user's|these) answers in mind\.$|\n\nNote: The user's next message may contain a correction[^\n]*$/;
/** What Claude Code writes in the user's place who wants to talk about the questions. */
const clarificationPattern = /^The user wants to clarify these questions\./;
/** A question tool's report that it did not ask the user. */
const notAskedPattern = /^[\w ]{1,40} is (?:unavailable|not (?:available|supported|enabled|allowed))\b/;

/** Tools that ask the user. Their whole result is the user's answer. */
const askingToolPattern =
	/^(?:ask_?user(?:_?questions?)?|ask_?human|ask_?followup(?:_?questions?)?|askquestions?|request_?user_?input|user_?input)$/i;
/** A tool with this name may ask the user or a service. Only the agent's wording of the result shows which. */
const questionToolPattern = /^(?:question|ask)$/i;

/** Tools whose results come from programs, servers or other people, and may begin with any text. */
const foreignToolPattern = /bash|shell|exec|command|terminal|run|fetch|http|web|browser|__/i;

/** The end of a clause: "ignore that" takes a message back, "ignore that warning" does not. */
const clauseEnd = String.raw`(?=\s*(?:$|[^\s\p{L}\p{N}_]|(?:please|and|for now)\b))`;
/** Words for taking back the previous message. */
const takingBackPattern = new RegExp(
	String.raw`^[^\p{L}\p{N}]*(?:(?:oh|sorry|oops|no|wait|hm+|ok(?:ay)?|actually|ah|well)\b[,.! ]*)*(?:` +
		[
			String.raw`(?:please )?(?:ignore|disregard|forget|scratch|cancel) (?:(?:about )?(?:that|this|it)(?: last)?(?: one| message| request| question)?${clauseEnd}|(?:my|the) (?:last|previous|earlier|above)?(?: ?(?:one|message|request|question))?${clauseEnd}|what I (?:just )?(?:said|wrote|asked)(?! (?:about|on|of)\b)|what I (?!(?:just )?(?:said|wrote|asked)))`,
			String.raw`never ?mind(?! (?:the|an?|about|if|what|how|these|those|any|(?:that|this) \p{L}+)\b)|I take (?:that|it) back`,
			String.raw`(?:wrong (?:chat|window|session|thread)|falscher chat)(?=\s*(?:$|[^\s\p{L}\p{N}]|sorry\b))`,
			`(?:vergiss|ignoriere?) (?:das|es)(?: bitte| wieder| einfach)*${clauseEnd}`,
			'さっきの(?:は|発言).{0,8}(?:忘れ|無視|取り消)|(?:今の|前の)は(?:忘れ|無視|なし)',
			String.raw`忽略(?:上|刚|前).{0,4}(?:消息|的话|请求|问题|那条|说的)|算了(?=吧|$|[^\p{L}\p{N}])|当我没说|发错(?=了|$|[^\p{L}\p{N}])`,
		].join('|') +
		')',
	'iu',
);
const undoCommandPattern = /^\/undo\b/i;
/** Replies to an `/undo` that took nothing back: first those of Aider, then those of Codex and OpenCode. */
const refusedUndoPattern =
	/^[ \t>]{0,8}(?:No git repository|The last commit (?:[0-9a-f]{7,40} )?(?:was not made by|has (?:already been pushed|more than))|This is the first commit|The file [^\n]{1,300} (?:has uncommitted changes|was not in the repository)|Error restoring|No ghost snapshot|Undo (?:failed|is disabled|is not)|(?:Failed|Unable) to undo|(?:I )?(?:cannot|can't|could not|couldn't) undo|(?:There (?:is|was) )?nothing to undo)/im;
/** Maximum length of an undone request in the text of an `/undo`. UTF-16 units. */
const maxUndoneRequestLength = 60;

/** The start of the message that an agent writes if the user interrupts it. */
const interruptionPattern = /^\s*(?:\[Request interrupted by user|<turn_aborted>)/;
/** A message or answer of the user. */
export interface UserStatement {
	source: Source;
	text: string;
	/** `wrapped`: text that the agent generated for an action of the user, such as a command. */
	kind: 'typed' | 'answer' | 'wrapped';
	/** Whether a part of the message, or the whole, is output that the user pasted. `text` has a note in its place. */
	pasted?: OwnWords['pasted'];
	/** The later message that took this message back. */
	takenBack?: Source;
	/** The later message that undid all work for this message. */
	undoneIn?: Source;
	/** The question or offer with which the agent ended the message before the statement. */
	precedingQuestion?: string;
	/** The message that reports that the user interrupted the agent right after the statement. */
	interruptedIn?: Source;
	/** The options that the statement names or approves, from the agent's message before it. */
	chosenOptions?: string;
}

/** Whether the user typed a message, judged only by the message. */
export function isTyped(source: Source): boolean {
	return source.role === 'user' && !source.isInjected && source.text.trim() !== '';
}

/** Returns the length of the text before the user's words in a result; undefined if it does not quote the user. */
function measureOpening({ toolName = '', text, isError, isAnsweredByUser }: Source): number | undefined {
	const beginning = text.slice(0, maxOpeningLength);
	const openingLength = answerOpeningPattern.exec(beginning)?.[0].length;
	if (!isError && askingToolPattern.test(toolName))
		return notAskedPattern.test(beginning) ? undefined : (openingLength ?? 0);
	if (!isError && (isAnsweredByUser || questionToolPattern.test(toolName))) return openingLength;
	if (!isError || (!isAnsweredByUser && foreignToolPattern.test(toolName))) return undefined;
	return measureRefusalOpening(beginning);
}

function measureRefusalOpening(beginning: string): number | undefined {
	return refusalOpeningPatterns
		.map((opening) => opening.exec(beginning)?.[0].length)
		.find((length) => length);
}

/** Returns why a call was refused, and whether the user or only its result says so; undefined if no reason is known. */
export function describeRefusalReason(source: Source): string | undefined {
	const answer = findUserAnswer(source);
	if (answer !== undefined) return `refused by the user: ${answer}`;
	const words = findRefusalWords(source.text);
	return words && `refused according to the result: ${words}`;
}

/** Returns the words behind an agent's opening of a refusal; undefined if there are none. A program may have printed both. */
export function findRefusalWords(result: string): string | undefined {
	const length = measureRefusalOpening(result.slice(0, maxOpeningLength));
	return length === undefined ? undefined : result.slice(length).trim() || undefined;
}

/**
 * Returns the user's words inside a result; undefined if there are none. The agent's adapter marks these words, or the
 * agent introduces them with fixed words at the very start of the result. Such words count only if the tool does not
 * return foreign text. Shortens the questions next to long answers.
 */
export function findUserAnswer(source: Source): string | undefined {
	if (source.role !== 'tool') return undefined;
	const begin = measureOpening(source);
	if (begin === undefined) return undefined;
	const answer = source.text
		.slice(begin, begin + workLimits.maxLengthOf.answer)
		.trim()
		.replace(answerClosingPattern, '');
	if (clarificationPattern.test(answer)) return undefined;
	const isLong = answer.length > tuning.lengths.maxVerbatim;
	return (isLong ? answer.replace(answeredQuestionPattern, shortenQuestion) : answer) || undefined;
}

/** A question with its answer: `"Which pier?"="The new one"`. */
const answeredQuestionPattern = /(?<=^|", )"([^"]{1,1000})"(?==")/g;
const maxQuestionLength = 60;

function shortenQuestion(_: string, question: string): string {
	return `"${truncateWithMark(question, maxQuestionLength)}"`;
}

/** Returns everything that the user said, oldest first. `undone` is the result of `findUndoneWork`. Runs in slices. */
export function* collectUserStatements(
	sources: readonly Source[],
	undone: ReadonlyMap<Source, Source>,
	cache: AnalysisCache,
): SlicedTask<UserStatement[]> {
	const undoneRequests = describeUndoneRequests(sources, undone);
	const statements: UserStatement[] = [];
	yield* forEachInSlices(sources, (source, index) => {
		if (source.role === 'user' && isAboutClient(source.text)) return;
		if (isTyped(source)) {
			const last = statements.findLast((statement) => statement.kind === 'typed');
			if (last && takingBackPattern.test(source.text)) last.takenBack = source;
			const precedingQuestion = findAnsweredQuestion(sources, index);
			const ownWords = readOwnWords(source.text, getMessageParts(cache, source));
			statements.push({
				source,
				...ownWords,
				text: `${readCommandLine(source.text) ?? ownWords.text.trim()}${undoneRequests.get(source) ?? describeRefusedUndo(sources, index)}`,
				kind: 'typed',
				undoneIn: findUndoing(sources, index, undone),
				precedingQuestion,
				interruptedIn: findInterruption(source, sources[index + 1]),
				chosenOptions: findChosenOptions(source.text, sources[index - 1], precedingQuestion),
			});
			return;
		}
		if (source.role === 'user' && source.text.length <= tuning.lengths.maxVerbatim) {
			if (cleanText(source.text) === '') return;
			const text = readCommandLine(source.text) ?? source.text.trim();
			statements.push({ source, text, kind: 'wrapped' });
			return;
		}
		const answer = findUserAnswer(source);
		if (answer !== undefined) statements.push({ source, text: answer, kind: 'answer' });
	});
	return statements;
}

/** Returns the next message if it reports that the user interrupted the agent. */
function findInterruption({ seq }: Source, next: Source | undefined): Source | undefined {
	return next?.role === 'user' && next.seq === seq + 1 && interruptionPattern.test(next.text)
		? next
		: undefined;
}

/** Returns the message that undid all of the agent's work for the message at an index, if one did. */
function findUndoing(
	sources: readonly Source[],
	index: number,
	undone: ReadonlyMap<Source, Source>,
): Source | undefined {
	if (undone.size === 0) return undefined;
	let undoing: Source | undefined;
	for (let at = index + 1; at < sources.length; at++) {
		const source = sources[at];
		if (source === undefined || isTyped(source)) break;
		if (source.role !== 'assistant') continue;
		undoing = undone.get(source);
		if (undoing === undefined) return undefined;
	}
	return undoing;
}

/** Returns the undone request for each message that undid work: ` (of the work in #6: Rename the tables)`. */
function describeUndoneRequests(
	sources: readonly Source[],
	undone: ReadonlyMap<Source, Source>,
): Map<Source, string> {
	const requests = new Map<Source, string>();
	for (const [work, undoing] of undone) {
		if (requests.has(undoing)) continue;
		const request = sources.findLast((source) => source.seq < work.seq && isTyped(source));
		const words = request
			? `: ${quoteLine(truncateAtWord(request.text.trim(), maxUndoneRequestLength))}`
			: '';
		requests.set(undoing, ` (of the work in ${getMessageName(work)}${words})`);
	}
	return requests;
}

/** Returns a note for an `/undo` that took nothing back; empty for other messages. */
function describeRefusedUndo(sources: readonly Source[], index: number): string {
	const source = sources[index];
	return source && isUndo(source) && readUndoReply(sources, index).isRefused ? ' (took nothing back)' : '';
}

/** Returns the messages that the user took back. */
export function listTakenBackSources(statements: readonly UserStatement[]): Set<Source> {
	return new Set(statements.flatMap(({ source, takenBack }) => (takenBack ? [source] : [])));
}

/** Returns the agent's answers that made no calls, to messages that the user later took back. O(messages). */
export function findAnswersTakenBack(
	sources: readonly Source[],
	statements: readonly UserStatement[],
): Set<Source> {
	const takingBackSources = new Map(statements.map(({ source, takenBack }) => [source, takenBack]));
	const answers = new Set<Source>();
	let takingBackSource: Source | undefined;
	for (const source of sources) {
		if (takingBackSource && source.seq >= takingBackSource.seq) takingBackSource = undefined;
		if (takingBackSource && source.role === 'assistant' && source.calls.length === 0) answers.add(source);
		takingBackSource = takingBackSources.get(source) ?? takingBackSource;
	}
	return answers;
}

/** Work of the agent that one `/undo` takes back: a turn, or the part of a turn that ends with a commit. */
interface UndoableWork {
	messages: Source[];
	/** The commit that the agent's program reported for the work, abbreviated. */
	commit?: string;
}

/**
 * Returns the messages that each successful `/undo` took back, with the message of the `/undo`. A reported commit determines
 * the work. Without a report, it is the last work with a commit, or the last turn if no commits were reported. O(text).
 */
export function findUndoneWork(sources: readonly Source[]): Map<Source, Source> {
	const undone = new Map<Source, Source>();
	if (!sources.some(isUndo)) return undone;
	const works: UndoableWork[] = [];
	const byCommit = new Map<string, UndoableWork>();
	let current: UndoableWork | undefined;
	for (const [index, source] of sources.entries()) {
		if (source.role === 'assistant') {
			if (current === undefined) {
				current = { messages: [] };
				works.push(current);
			}
			current.messages.push(source);
		} else if (isTyped(source)) {
			current = undefined;
			if (!isUndo(source)) continue;
			const { isRefused, removedCommit } = readUndoReply(sources, index);
			const work = isRefused
				? undefined
				: removedCommit === undefined
					? popLastWork(works, byCommit.size > 0)
					: byCommit.get(removedCommit);
			for (const message of work?.messages.splice(0) ?? []) undone.set(message, source);
		} else if (current !== undefined) {
			const commit = findReportedCommit(source);
			if (commit === undefined) continue;
			current.commit = commit;
			byCommit.set(commit, current);
			current = undefined;
		}
	}
	return undone;
}

function isUndo(source: Source): boolean {
	return isTyped(source) && undoCommandPattern.test(source.text.trimStart());
}

/** Removes and returns the last work that was not taken back; with `needsCommit`, the last that has a commit. */
function popLastWork(works: UndoableWork[], needsCommit: boolean): UndoableWork | undefined {
	let work = works.pop();
	while (work && (work.messages.length === 0 || (needsCommit && work.commit === undefined)))
		work = works.pop();
	return work;
}

/** Returns what the agent's program or the agent replied to an `/undo`. */
function readUndoReply(
	sources: readonly Source[],
	undoIndex: number,
): { isRefused: boolean; removedCommit?: string } {
	for (let index = undoIndex + 1; index < sources.length; index++) {
		const source = sources[index];
		if (source === undefined || isTyped(source)) break;
		const isAgent = source.role === 'assistant';
		const text = isAgent ? source.text.trimStart().split('\n', 1).join() : source.text;
		if (refusedUndoPattern.test(text)) return { isRefused: true };
		if (isAgent) break;
		const removedCommit = findRemovedCommit(source);
		if (removedCommit !== undefined) return { isRefused: false, removedCommit };
	}
	return { isRefused: false };
}
