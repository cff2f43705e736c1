/** What messages say, in candidates: texts that can be shown alone. */

import type { ToolCall } from '../../protocol/conversation.ts';
import { tuning, workLimits } from '../compact/tuning.ts';
import type { SlicedTask } from '../slices.ts';
import { type AnalysisCache, type Candidate, firstFileTouch, memoize } from './analyses.ts';
import { callLine, callOutcome, isMessageOnlyCall, spokenIn } from './calls.ts';
import { cleanText } from './clean.ts';
import { findShellCommand, isMutating, isReadOnly } from './commands.ts';
import { questionOf } from './labels.ts';
import { latinLength } from './language.ts';
import { type CallOutcome, isReportedByCall, isWholeResult, type Outcomes } from './outcomes.ts';
import { isPlanCall } from './plans.ts';
import { findSentences } from './sentences.ts';
import { isQuestion } from './settled.ts';
import type { Source } from './source.ts';
import { isAboutClient, isTyped, userAnswerIn } from './userWords.ts';
import { wordsIn } from './words.ts';

/** A candidate before its length and weight are computed. */
type FoundCandidate = Omit<Candidate, 'weight' | 'length' | 'facts'>;

/** A candidate at its position in the session. */
export interface PlacedCandidate {
	candidate: Candidate;
	/** Index of its message among the sources. */
	message: number;
	/** Position within the message. */
	order: number;
	/** Its score at this position, raised to `scorePower`. */
	weight: number;
}

/** Shorter lists of names are shown line by line. */
const minListedNames = 4;
/** A line that is a name, not a row or a sentence of a script without spaces. */
const listedName = /^[^\s,;=|：、。]+$/;
/** Number of lines of names that are shown of a listing. */
const maxListedLines = 2;

/** A line of prose. Scripts that write a word in one or two signs need fewer. */
const proseLine =
	/^(?:[-*#\d.)|]+\s+(?=\S))?(?:[\p{Lu}"'(`*\p{Lo}][^{};=<>]{40}|(?=[^{};=<>]*[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}]{6})[^{};=<>]{14})/u;

/** Returns the candidates of messages, in order, in slices. `isSaid` is whether a message is quoted elsewhere. */
export function* candidateSteps(
	sources: readonly Source[],
	known: { outcomes: Outcomes; undone: ReadonlyMap<Source, Source>; found: AnalysisCache },
	isSaid: (source: Source) => boolean = () => false,
): SlicedTask<PlacedCandidate[]> {
	const { outcomes, undone, found } = known;
	const placed: PlacedCandidate[] = [];
	for (const [message, source] of sources.entries()) {
		if (message % workLimits.messagesPerSlice === 0) yield;
		const outcome = outcomes.byResult.get(source);
		const ofCalls = source.calls.map((call) => outcomes.byCall.get(call));
		const under: unknown[] = [outcome?.call];
		for (const one of ofCalls) under.push(one?.result, one?.passedLater?.seq);
		const candidates = memoize(found.candidates, source, under, () =>
			findCandidates(source, { outcome, ofCalls, found }).flatMap(candidateOf),
		);
		if (isSaid(source)) continue;
		const { quoted, finalReport } = tuning.scores;
		const factor = undone.has(source) ? quoted : isFinal(source, sources[message + 1]) ? finalReport : 1;
		for (const [order, candidate] of candidates.entries()) {
			const weight = factor === 1 ? candidate.weight : weightOf(candidate.score * factor);
			placed.push({ candidate, message, order, weight });
		}
	}
	return placed;
}

function weightOf(score: number): number {
	return score ** tuning.selection.scorePower;
}

/** Returns a candidate with its length and weight; none if its text is empty. */
function candidateOf({ kind, text, ownLine, score, words }: FoundCandidate): Candidate[] {
	if (text === '') return [];
	const weight = weightOf(score);
	return [{ kind, text, ownLine, score, weight, words, length: latinLength(text), facts: undefined }];
}

/** Whether a message ends the agent's turn, and so reports to the user. */
function isFinal(source: Source, next: Source | undefined): boolean {
	return (
		source.role === 'assistant' && source.calls.length === 0 && (next === undefined || next.role === 'user')
	);
}

/** What a message's candidates depend on besides the message. */
interface Dependencies {
	/** How the call of a result ended. */
	outcome?: CallOutcome;
	/** Outcomes of the message's calls, in their order. */
	ofCalls: readonly (CallOutcome | undefined)[];
	found: AnalysisCache;
}

function findCandidates(source: Source, dependencies: Dependencies): FoundCandidate[] {
	if (source.role === 'assistant') {
		return [
			...proseCandidates(source.text, 1, source.thought),
			...source.calls.flatMap((call, index) => callCandidates(call, dependencies.ofCalls[index])),
		];
	}
	if (source.role === 'system') return proseCandidates(source.text, tuning.scores.quoted);
	if (source.role === 'tool') return resultCandidates(source, dependencies);
	if (isAboutClient(source.text)) return [];
	if (isTyped(source)) return requestCandidates(source.text);
	// The summary of an earlier compaction is all that is left of what it replaced.
	if (source.recap) return proseCandidates(source.text, tuning.scores.longRequest);
	// Short messages are quoted elsewhere.
	return source.text.trim().length <= tuning.lengths.maxVerbatim
		? []
		: proseCandidates(source.text, tuning.scores.quoted);
}

/** Thinking that begins by repeating the user's words. */
const restatesUser =
	/^(?:so |ok(?:ay)?,? |now )?the user(?:'s| is| has| wants| asks| asked| says| said| confirmed| approved)\b/i;

function proseCandidates(of: string, share: number, thought = 0): FoundCandidate[] {
	const sentences = findSentences(of);
	const answer = new Set(
		thought === 0 ? [] : sentences.flatMap(({ from, words }) => (from < thought ? [] : words)),
	);
	return sentences
		.filter(({ from, words }) => from >= thought || !isRepeated(words, answer))
		.map(({ text, from, ownLine, score, words }) => {
			const thinking =
				from >= thought ? 1 : restatesUser.test(text) ? tuning.scores.restatedRequest : tuning.scores.thought;
			return { kind: 'statement', text, ownLine, score: score * thinking * share, words };
		});
}

/** Whether the answer repeats these words of the thinking before it. */
function isRepeated(words: readonly number[], answer: ReadonlySet<number>): boolean {
	const shared = words.filter((word) => answer.has(word)).length;
	return shared > 0 && shared >= tuning.selection.duplicateShare * words.length;
}

/** Returns the candidates of a typed message. */
function requestCandidates(text: string): FoundCandidate[] {
	if (text.trim().length > tuning.lengths.maxVerbatim)
		return proseCandidates(text, tuning.scores.longRequest);
	return proseCandidates(text, 1).map((part) => ({
		...part,
		score: part.score * (isQuestion(part.text) ? tuning.scores.question : tuning.scores.shortRequest),
	}));
}

function callCandidates(call: ToolCall, outcome: CallOutcome | undefined): FoundCandidate[] {
	// Nobody received the text of a failed call; a mechanical failure that passed later is not worth showing.
	const spoken = outcome?.failed ? [] : spokenIn(call).flatMap((text) => proseCandidates(text, 1));
	if (outcome?.mechanical && outcome.passedLater) return spoken;
	// The plan has its own list; the label of an answer in data shows the question.
	const isTold = isPlanCall(call) || isMessageOnlyCall(call);
	const isLabelled = outcome?.result.rows && questionOf(call) !== undefined;
	if (!outcome?.failed && (isTold || isLabelled)) return spoken;
	const text = `${callLine(call)}${outcome ? callOutcome(outcome) : ''}`;
	return [
		...spoken,
		{ kind: 'statement', text, ownLine: true, score: callScore(call, outcome), words: wordsIn(text) },
	];
}

function callScore(call: ToolCall, outcome: CallOutcome | undefined): number {
	if (outcome?.failed) return outcome.passedLater ? tuning.scores.call : tuning.scores.failure;
	if (isReadOnly(call)) return tuning.scores.readOnlyCall;
	return outcome?.check || isMutating(call) ? tuning.scores.check : tuning.scores.call;
}

function resultCandidates(source: Source, { outcome, found }: Dependencies): FoundCandidate[] {
	// The user's answers are quoted elsewhere, and the call's own line reports other ends.
	if (userAnswerIn(source) !== undefined || (outcome && isReportedByCall(outcome))) return [];
	const touch = outcome && firstFileTouch(found, outcome.call);
	if (touch?.kind === 'edit') return [];
	if (!source.rows && isReport(source.text)) {
		if (outcome?.failed && isWholeResult(outcome))
			return [resultLine(outcome.message, tuning.scores.dataLine)];
		if (touch?.kind !== 'read') return proseCandidates(cleanText(source.text), tuning.scores.report);
		// Documents are still on disk.
		const prose = proseCandidates(cleanText(source.text), tuning.scores.quoted);
		return prose.map((one) => ({ ...one, kind: 'resultLine' }));
	}
	const { fileLine, commandLine, dataLine, dataHead } = tuning.scores;
	const isCommand = outcome !== undefined && findShellCommand(outcome.call) !== undefined;
	const score = touch ? fileLine : isCommand ? commandLine : dataLine;
	const all = cleanText(endsOfText(source.text)).split('\n');
	// Lines of a file stay apart: an edit may have removed one of them since.
	const lines = touch ? all : withJoinedNames(all);
	const most = source.rows ? tuning.results.endDataLines : tuning.results.endLines;
	const kind = source.rows ? 'statement' : 'resultLine';
	return lines.flatMap((text, index): FoundCandidate[] => {
		if ((index >= most && index < lines.length - most) || text.length > tuning.lengths.maxDataLine) return [];
		const first = source.rows && index === 0 ? dataHead : 1;
		return [{ ...resultLine(text, score * first), kind }];
	});
}

function resultLine(text: string, score: number): FoundCandidate {
	return { kind: 'resultLine', text, ownLine: true, score, words: wordsIn(text) };
}

/** Returns the lines of a result; if all are names, as in a listing of files, with as many of them on a line as fit. */
function withJoinedNames(lines: readonly string[]): string[] {
	if (lines.length < minListedNames || !lines.every((line) => listedName.test(line))) return [...lines];
	const joined: string[] = [];
	for (const name of lines) {
		const line = `${joined.at(-1)} | ${name}`;
		if (joined.length === 0 || line.length > tuning.lengths.maxLine) joined.push(name);
		else joined[joined.length - 1] = line;
	}
	return joined.slice(0, maxListedLines);
}

function endsOfText(text: string): string {
	if (text.length <= workLimits.maxLengthOf.result) return text;
	return `${text.slice(0, workLimits.maxLengthOf.result / 2)}\n${text.slice(-workLimits.maxLengthOf.result / 2)}`;
}

/** Whether a result is prose: the report of a sub-agent, a web page, an answer. */
function isReport(text: string): boolean {
	const lines = text
		.slice(0, workLimits.maxLengthOf.result)
		.split('\n')
		.filter((line) => line.trim() !== '');
	return (
		lines.length > 0 &&
		lines.filter((line) => proseLine.test(line.trimStart())).length / lines.length >
			tuning.results.reportShare
	);
}
