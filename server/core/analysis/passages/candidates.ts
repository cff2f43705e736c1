/** Finds candidates in messages: texts that can be shown on their own. */

import type { ToolCall } from '../../../protocol/conversation.ts';
import { tuning, workLimits } from '../../compact/tuning.ts';
import { getOrInsert } from '../../getOrInsert.ts';
import { forEachInSlices, type SlicedTask } from '../../slices.ts';
import { isWholeResult } from '../calls/callEnd.ts';
import { collectProse, isMessageOnlyCall, renderCall, renderOutcomes } from '../calls/calls.ts';
import { findOnlyChangedLine, findReplacedRanges } from '../calls/changedLines.ts';
import { isPoll, isShownByCallLine } from '../calls/outcomes.ts';
import { isPlanCall } from '../calls/plans.ts';
import {
	type AnalysisCache,
	type Candidate,
	getFirstFileTouch,
	getMessageParts,
	memoize,
} from '../message/analyses.ts';
import type { CallOutcome, Outcomes } from '../message/callOutcome.ts';
import type { MessagePart } from '../message/pasted.ts';
import type { Source } from '../message/source.ts';
import { isAboutClient } from '../message/typedCommands.ts';
import {
	hasShellCommand,
	isMutating,
	isReadOnly,
	showsExistingText,
	showsManual,
} from '../shell/commands.ts';
import { installationPattern } from '../shell/printedText.ts';
import { cleanText, isOnlyLink } from '../text/clean.ts';
import { isAnnouncement, isQuestion } from '../text/cues.ts';
import { rankErrorLine, reportsUnusable } from '../text/errorLines.ts';
import { hashWords } from '../text/hashes.ts';
import { joinHeadings, joinListedNames } from '../text/joinedLines.ts';
import { measureLatinLength } from '../text/language.ts';
import { dropRepeatedLogLines, findFailedRequests, findOddLines } from '../text/logLines.ts';
import type { TextSpan } from '../text/outline.ts';
import { isProse } from '../text/prose.ts';
import { truncateLine } from '../text/quote.ts';
import { findSentences } from '../text/sentences.ts';
import { findRefusalWords, findUserAnswer, isTyped } from '../user/userStatements.ts';
import { removeAnnouncement } from './announcements.ts';
import { renderQuery } from './labels.ts';

/** A candidate before its length and weight are computed. */
type UnweightedCandidate = Omit<Candidate, 'weight' | 'length' | 'announcesReading' | 'facts'>;

/** A candidate at its position in the session. */
export interface PlacedCandidate {
	candidate: Candidate;
	/** Index of its message among the sources. */
	messageIndex: number;
	/** Position within the message. */
	order: number;
	/** The candidate's score at this position, raised to `scorePower`. */
	weight: number;
	/** Id of the data row with this line, if the reader needs a line of the row even if its words are known. */
	neededRow?: string;
}

/** What is known of messages that makes all of their candidates more or less important. */
interface MessageRoles {
	/** Messages whose work was undone, each with the message that undid it. */
	undone: ReadonlyMap<Source, Source>;
	/** Results that the assistant has not answered yet. */
	unread: ReadonlySet<Source>;
}

/** Returns the candidates of messages, in order, in slices. Omits excluded candidates. */
export function* collectCandidates(
	sources: readonly Source[],
	analyses: MessageRoles & { outcomes: Outcomes; cache: AnalysisCache },
	isExcluded: (source: Source, candidate: Candidate) => boolean = () => false,
): SlicedTask<PlacedCandidate[]> {
	const { outcomes, cache } = analyses;
	const placed: PlacedCandidate[] = [];
	const placeCandidates = (source: Source, messageIndex: number): void => {
		const outcome = outcomes.byResult.get(source);
		const callOutcomes = source.calls.map((call) => outcomes.byCall.get(call));
		const dependencies: unknown[] = [outcome?.call];
		for (const one of callOutcomes) dependencies.push(one?.result, (one?.settledBy ?? one?.brokenBy)?.seq);
		const candidates = memoize(cache.candidates, source, dependencies, () =>
			findCandidates(source, { outcome, callOutcomes, cache }).flatMap((one) => weighCandidate(one, source)),
		);
		const factor = findScoreFactor(source, sources[messageIndex + 1], analyses);
		candidates.forEach((candidate, order) => {
			if (isExcluded(source, candidate)) return;
			const weight = factor === 1 ? candidate.weight : computeWeight(candidate.score * factor);
			placed.push({ candidate, messageIndex, order, weight });
		});
	};
	yield* forEachInSlices(sources, placeCandidates, workLimits.messagesPerSlice);
	return placed;
}

/** Returns the factor for the scores of a message's candidates. */
function findScoreFactor(source: Source, next: Source | undefined, { undone, unread }: MessageRoles): number {
	if (undone.has(source)) return tuning.scores.secondary;
	if (unread.has(source)) return tuning.scores.unread;
	return isFinalReport(source, next) ? tuning.scores.finalReport : 1;
}

function computeWeight(score: number): number {
	return score ** tuning.selection.scorePower;
}

/**
 * Texts without meaning for a reader: an empty text, a bare status, Claude Code's notes that a turn ended without an
 * answer or without content, that a limit was reached, and that a command printed nothing, or a part of an encoded image or
 * file. Encoded data is longer than any hash or key.
 */
export const meaninglessPattern =
	/^(?:FAIL|PASS|ok|No response requested\.|\(no content\)|\(Bash completed with no output\)|(?:You['’]ve hit your|Claude|(?:5-)?hour) [\w -]{0,20}limit(?: reached)?\s?[·∙|]\s?resets [^\n]{1,60})?$|[A-Za-z0-9+/]{160}/;

/** Text that Claude Code puts around its own summaries and plans for the model. */
const continuationPattern =
	/^(?:This session is being continued from a previous conversation|(?:Please c|C)ontinue (?:the conversation from where we left|with the last task that you were asked)|If you need specific details from before )/;

/** Returns a candidate with its length and weight; none if its text has no meaning for a reader. */
function weighCandidate(candidate: UnweightedCandidate, source: Source): Candidate[] {
	const { text, score } = candidate;
	if (meaninglessPattern.test(text) || continuationPattern.test(text)) return [];
	const [weight, length] = [computeWeight(score), measureLatinLength(text)];
	const announcesReading = isAnnouncement(text) && removeAnnouncement(text, source) === '';
	return [{ ...candidate, weight, length, announcesReading, facts: undefined }];
}

/** Whether a message ends the agent's turn and thus reports to the user. */
function isFinalReport(source: Source, next: Source | undefined): boolean {
	return (
		source.role === 'assistant' && source.calls.length === 0 && (next === undefined || next.role === 'user')
	);
}

/** Inputs of a message's candidates other than the message itself. */
interface Dependencies {
	/** Outcome of the call that the result answers. */
	outcome?: CallOutcome;
	/** Outcomes of the message's calls, in their order. */
	callOutcomes: readonly (CallOutcome | undefined)[];
	cache: AnalysisCache;
}

function findCandidates(source: Source, dependencies: Dependencies): UnweightedCandidate[] {
	if (source.role === 'assistant') {
		return [
			...findProseCandidates(source.text, 1, source.thoughtLength),
			...findCallCandidates(source, dependencies),
		];
	}
	if (source.role === 'system') return findProseCandidates(cleanText(source.text), tuning.scores.secondary);
	if (source.role === 'tool') return findResultCandidates(source, dependencies);
	if (isAboutClient(source.text)) return [];
	if (isTyped(source)) return findRequestCandidates(source, getMessageParts(dependencies.cache, source));
	// Score a summary of an earlier compaction high: nothing else remains of the messages that it replaced.
	if (source.isRecap) return findProseCandidates(source.text, tuning.scores.longRequest);
	// Short messages are quoted elsewhere.
	return source.text.trim().length <= tuning.lengths.maxVerbatim
		? []
		: findProseCandidates(source.text, tuning.scores.secondary);
}

function findProseCandidates(prose: string, share: number, start = 0): UnweightedCandidate[] {
	const replaced = findReplacedRanges(prose);
	const isCurrent = ({ from }: { from: number }): boolean =>
		!replaced.some((range) => from >= range.from && from < range.to);
	const sentences = findSentences(prose).filter(isCurrent);
	const answer = new Set(
		start === 0 ? [] : sentences.flatMap(({ from, words }) => (from < start ? [] : words)),
	);
	return sentences
		.filter(
			({ from, text, words }) => from >= start || !(isRepeated(words, answer) || isSpoken(text, answer)),
		)
		.map(({ text, from, to, isOnNewLine, score, words }) => {
			const thinking = from >= start ? 1 : tuning.scores.secondary;
			const span = { from, to };
			return { kind: 'statement', text, span, isOnNewLine, score: score * thinking * share, words };
		});
}

/** Whether a thought only announces the next step, in a message that also has an answer, which announces it or reports it. */
function isSpoken(text: string, answer: ReadonlySet<number>): boolean {
	return answer.size > 0 && !text.includes('\n') && isAnnouncement(text);
}

/** Whether an answer repeats most words of a sentence in the thinking before it. */
function isRepeated(words: readonly number[], answer: ReadonlySet<number>): boolean {
	const sharedCount = words.filter((word) => answer.has(word)).length;
	return sharedCount > 0 && sharedCount >= tuning.selection.duplicateShare * words.length;
}

/** Returns the candidates of a typed message: its words, and the ends of pasted output as lines of a result. */
function findRequestCandidates(source: Source, parts: readonly MessagePart[]): UnweightedCandidate[] {
	const { endLines, endDataLines } = tuning.results;
	const isRow = source.rows !== undefined;
	return parts.flatMap((part) =>
		part.isPasted
			? findEndLines(cleanText(sliceBothEnds(part.text)).split('\n'), isRow ? endDataLines : endLines).map(
					(line) => ({ ...createResultLine(line, tuning.scores.commandLine), isRow }),
				)
			: part.isTemplate
				? findProseCandidates(part.text, tuning.scores.secondary).map((one) => ({
						...one,
						isOfTemplate: true,
					}))
				: findTypedTextCandidates(part.text),
	);
}

function findTypedTextCandidates(text: string): UnweightedCandidate[] {
	if (text.trim().length > tuning.lengths.maxVerbatim)
		return findProseCandidates(text, tuning.scores.longRequest);
	return findProseCandidates(text, 1).map((part) => ({
		...part,
		score: part.score * (isQuestion(part.text) ? tuning.scores.question : tuning.scores.shortRequest),
	}));
}

/** Files of settings and documents: a change of a single line in them is often a decision, such as that for a version. */
const settingsPattern =
	/(?:^|[\\/])(?:Dockerfile|Makefile|requirements[\w-]{0,20}\.txt)$|\.(?:cfg|conf|gradle|ini|json5?|jsonc|md|mod|properties|tf|toml|xml|ya?ml)$/i;

/** Returns the candidates of a message's calls. Calls that look the same have one line, with the outcomes of all. */
function findCallCandidates({ calls }: Source, { callOutcomes, cache }: Dependencies): UnweightedCandidate[] {
	const prose: UnweightedCandidate[] = [];
	const shownByLine = new Map<string, { outcomes: CallOutcome[]; score: number; changes: string[] }>();
	for (const [index, call] of calls.entries()) {
		const outcome = callOutcomes[index];
		// The text of a failed call reached nobody.
		for (const text of outcome?.failed ? [] : collectProse(call))
			prose.push(...findProseCandidates(text, 1).map((sentence) => ({ ...sentence, span: undefined })));
		if (!isShownAsCall(call, outcome)) continue;
		const shown = getOrInsert(shownByLine, renderCall(call), () => ({
			outcomes: [],
			score: 0,
			changes: [],
		}));
		if (outcome) shown.outcomes.push(outcome);
		shown.score = Math.max(shown.score, scoreCall(call, outcome));
		const isDone = outcome !== undefined && !outcome.failed;
		const path = isDone ? getFirstFileTouch(cache, call)?.path : undefined;
		const change = path !== undefined && settingsPattern.test(path) ? findOnlyChangedLine(call) : undefined;
		if (change !== undefined) shown.changes.push(change);
	}
	const lines = [...shownByLine].map(([line, { outcomes, score, changes }]): UnweightedCandidate => {
		const text = [
			`${line}${renderOutcomes(outcomes)}${countStopped(outcomes, callOutcomes)}`,
			...changes,
		].join('\n');
		return { kind: 'statement', text, isOnNewLine: true, score, words: hashWords(text) };
	});
	return [...prose, ...lines];
}

/** Returns ` (as 2 other calls)` after the outcome of a call that was refused like others of its message; else an empty text. */
function countStopped(
	[first, ...others]: readonly CallOutcome[],
	all: readonly (CallOutcome | undefined)[],
): string {
	if (!first?.wasStopped) return '';
	const count = all.filter((one) => one?.wasStopped && one.message === first.message).length;
	const otherCount = count - 1 - others.length;
	return otherCount > 0 ? ` (as ${otherCount === 1 ? 'another call' : `${otherCount} other calls`})` : '';
}

function isShownAsCall(call: ToolCall, outcome: CallOutcome | undefined): boolean {
	// A call that the tool rejected is omitted if it passed later.
	if ((outcome?.isToolRejection && outcome.settledBy) || isPoll(call, outcome)) return false;
	// These calls are shown elsewhere: plans in a list, messages as text, queries in the labels of their data.
	const isTextCall = isPlanCall(call) || isMessageOnlyCall(call);
	const isLabelled = outcome?.result.rows && !isShownByCallLine(outcome) && renderQuery(call) !== undefined;
	return outcome?.failed === true || !(isTextCall || isLabelled);
}

/** A short answer that something is missing: what the agent looked for, and did not expect. */
const absencePattern =
	/^(?:no|none|nothing|missing|not found)\b|\b(?:not found|not exist|no such|not (?:set|installed|configured|defined))\b|未找到|不存在|見つかりません|存在しません|nicht gefunden/i;

function scoreCall(call: ToolCall, outcome: CallOutcome | undefined): number {
	if (outcome?.wasStopped && isReasonUnquoted(outcome.result)) return tuning.scores.shortRequest;
	if (outcome?.failed)
		return outcome.settledBy || isReadOnly(call) ? tuning.scores.call : tuning.scores.failure;
	if (isReadOnly(call))
		return outcome && absencePattern.test(outcome.message) ? tuning.scores.call : tuning.scores.readOnlyCall;
	return outcome?.isCheck || isMutating(call) ? tuning.scores.check : tuning.scores.call;
}

/** Whether a refusal has a reason that the summary quotes nowhere else, because a program may have printed it. */
function isReasonUnquoted(result: Source): boolean {
	return findUserAnswer(result) === undefined && findRefusalWords(result.text) !== undefined;
}

/** Returns the lines of a sentence that goes over several; undefined for a sentence on one line. */
function listWrappedLines(text: string, span: TextSpan | undefined): string[] | undefined {
	const lines = span ? text.slice(span.from, span.to).trim().split('\n') : [];
	return lines.length > 1 ? lines : undefined;
}

/** The name of a tool that searches the web, and of one that gets a page of it. */
const webSearchPattern = /web_?search|search_?web/i;
const fetchPattern = /fetch/i;
/** A shorter answer of a tool that gets pages may be a model's answer to a question about the page. UTF-16 units. */
const minPageLength = 4000;

/** Whether a result consists of what a search of the web found, or of a page. */
function isWebText({ toolName = '', text }: Source): boolean {
	return webSearchPattern.test(toolName) || (fetchPattern.test(toolName) && text.length >= minPageLength);
}

function findResultCandidates(source: Source, { outcome, cache }: Dependencies): UnweightedCandidate[] {
	// The user's answers are quoted elsewhere. Some outcomes already appear in the call's line or the plan.
	if (findUserAnswer(source) !== undefined || (outcome && isShownByCallLine(outcome))) return [];
	const touch = outcome && getFirstFileTouch(cache, outcome.call);
	if (touch?.kind === 'edit') return [];
	const isManual = outcome !== undefined && showsManual(outcome.call);
	const isFromWeb = isWebText(source);
	// Sentences that a check prints are lines of its log.
	if (!source.rows && !outcome?.isCheck && isProse(source.text)) {
		if (outcome?.failed && isWholeResult(outcome))
			return [createResultLine(outcome.message, tuning.scores.dataLine)];
		if (touch?.kind !== 'read' && !isManual && !isFromWeb)
			return findProseCandidates(cleanText(source.text), tuning.scores.report);
		// A document, manual or page scores low, because it can be read again; most pages that a search finds are about other things.
		const text = cleanText(source.text);
		const prose = findProseCandidates(text, tuning.scores.secondary);
		return prose.map((one) => ({
			...one,
			kind: 'resultLine',
			wrappedLines: listWrappedLines(text, one.span),
		}));
	}
	const { fileLine, commandLine, dataLine, dataHead } = tuning.scores;
	const isCommand = outcome !== undefined && hasShellCommand(outcome.call);
	const canFail = isCommand && !touch && !showsExistingText(outcome.call);
	const score = touch || isManual ? fileLine : isCommand ? commandLine : dataLine;
	const shownText = cleanText(sliceBothEnds(source.text));
	const all = shownText.split('\n').map((line) => (canFail ? shortenWarning(line) : line));
	// Lines of a file stay separate, because a later edit may have removed one of them.
	const lines = touch ? all : joinHeadings(joinListedNames(dropRepeatedLogLines(all)));
	const maxEndLines = source.rows ? tuning.results.endDataLines : tuning.results.endLines;
	const kind = source.rows ? 'statement' : 'resultLine';
	// All rows have the same member names. If these counted as words, each row would seem to repeat the others.
	const names = new Set(hashWords(listMemberNames(source)));
	const odd = new Set(source.rows || touch ? [] : [...findOddLines(all), ...findFailedRequests(all)]);
	const ends = findEndLines(lines, maxEndLines);
	const shown = odd.size === 0 ? ends : lines.filter((line) => ends.includes(line) || odd.has(line));
	return shown.map((text, index): UnweightedCandidate => {
		const headFactor = source.rows && index === 0 && text === lines[0] ? dataHead : 1;
		if (!source.rows && isOnlyLink(text)) return createResultLine(text, fileLine);
		const isTelling =
			odd.has(text) ||
			(canFail && (rankErrorLine(text) > 2 || installationPattern.test(text) || reportsUnusable(text)));
		const line = createResultLine(text, (isTelling ? dataLine : score) * headFactor);
		const isRow = source.rows !== undefined;
		return { ...line, kind, isRow, words: line.words.filter((word) => !names.has(word)) };
	});
}

/** Returns a warning that something cannot be used without the path before it, shortened, if it is too long to be shown. */
function shortenWarning(line: string): string {
	if (line.length <= tuning.lengths.maxDataLine || !reportsUnusable(line)) return line;
	return truncateLine(line.slice(line.search(/(?:\b[A-Za-z]{1,40})?warn/i)));
}

function listMemberNames({ rows = [] }: Source): string {
	const lines = rows.flatMap(({ memberLines }) => memberLines);
	return lines.flatMap(({ members }) => members.map(({ names }) => names)).join(' ');
}

/** Returns at most `count` lines from each end of a text, without unstructured data. */
function findEndLines(lines: readonly string[], count: number): string[] {
	return lines.filter(
		(text, index) =>
			(index < count || index >= lines.length - count) && text.length <= tuning.lengths.maxDataLine,
	);
}

function createResultLine(text: string, score: number): UnweightedCandidate {
	return { kind: 'resultLine', text, isOnNewLine: true, score, words: hashWords(text) };
}

/** Returns both ends of a long text, without the lines that are cut. */
function sliceBothEnds(text: string): string {
	const half = workLimits.maxLengthOf.result / 2;
	if (text.length <= 2 * half) return text;
	const [head, tail] = [text.slice(0, half), text.slice(-half)];
	const end = head.lastIndexOf('\n');
	return `${end < 0 ? head : head.slice(0, end)}\n${tail.slice(tail.indexOf('\n') + 1)}`;
}
