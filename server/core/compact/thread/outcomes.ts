/** How calls ended: what their results say of it, and what came of a failure later. */

import type { ToolCall } from '../../../protocol/conversation.ts';
import { touchesOf } from '../../files/touchesOf.ts';
import type { Slices } from '../../slices.ts';
import { firstWords } from '../ledger/cutWords.ts';
import { isErrorWord } from '../ledger/shapes.ts';
import type { Source } from '../ledger/source.ts';
import { tuning, workLimits } from '../tuning.ts';
import { type CheckRun, settles } from './checkRuns.ts';
import { cleanLine } from './clean.ts';
import { actionOf, checkRunsOf, commandOf, isCheck, isLook, showingPrograms } from './commands.ts';
import { type CallEnd, type Found, foundTouch, foundUnder, noteOpenFile } from './found.ts';
import { answerIn, isTyped } from './userWords.ts';

/** How much of a line is searched for the name of an error. UTF-16 units. */
const errorNameRange = 400;
/** Exit codes appear within this much of the start of a result, or of its end. UTF-16 units. */
const exitCodeRange = { head: 400, tail: 200 } as const;
/** A second line of an error follows within this many lines. */
const maxErrorGap = 3;
/** Shorter lines of an output are single words, which say no outcome. UTF-16 units. */
const minOutcomeLength = 12;

export interface Outcome extends CallEnd {
	call: ToolCall;
	/** The message that holds the call. */
	caller: Source;
	/** Of what failed: the later result of the same action that did not. */
	passedLater?: Source;
}

/** The outcomes of calls, by their results and by the calls themselves. */
export interface Outcomes {
	byResult: ReadonlyMap<Source, Outcome>;
	byCall: ReadonlyMap<ToolCall, Outcome>;
}

/** `Exit code 3`, `Process exited with code 1`, `"exit_code": 2`, on a line that says little else. */
const exit = /^[^\n]{0,32}\bexit(?:ed with)?[ _]?(?:code|status)"?\s?[:=]?\s?(\d{1,3})\b[^\n]{0,40}$/im;

const mechanicalFailure =
	/file has not been read yet|string to replace (?:was )?not found|old_?string.{0,40}(?:not found|not unique)|found \d+ matches of the string|sibling tool call errored|InputValidationError|file has been (?:modified|unexpectedly modified)|no changes to make|must (?:first )?read|tool_use_error|cancelled: parallel tool call/i;
const refusal =
	/user (?:doesn't|does not|didn't) want to (?:proceed|take this action)|tool use was rejected|rejected by (?:the )?user|(?:denied|blocked|declined|cancell?ed) by (?:the )?user|ユーザーが.{0,20}(?:拒否|却下|中断|キャンセル)|用户.{0,6}(?:拒绝|取消|中断)|vom (?:be)?nutzer (?:abgelehnt|verweigert|abgebrochen)|user (?:denied|declined|refused)|request interrupted by user/i;
/** A line by which a check sums up. */
export const summaryLine =
	/\b\d+ (?:passed|failed|passing|failing|tests?|errors?|warnings?|problems?|issues?|files? changed|suites?)\b|^(?:ok|FAIL|PASS|---)\b|\bTests?:\s|Test Suites:|\bsuccess(?:ful(?:ly)?)?\b|\breal\b|\btotal\b|✓|✗|✔|✖|Done in|Finished|BUILD (?:SUCCESS|FAIL)|up to date|\bcompleted?\b/i;
/** What tools that look for something say where they find nothing. */
const nothingFound = /^\s*(?:no (?:files?|matches|results?)(?: (?:were|was))? found\.?|found 0 \w+\.?)\s*$/i;
/** The outcome of a call that looked for something in vain. */
export const noMatch = 'no match';
/** A sum that tells of failures does not tell why: in a pipe a command fails without an exit code. */
const tellsFailure = /\b[1-9]\d* (?:failed|failing|errors?)\b/i;
/** What else a check ends on that failed. */
const tellsOtherFailure =
	/(?:^|\| )(?:\W*FAIL(?:ED|URE)?\b|(?:error|fatal)\b(?!s? ?[:=] ?0)|\d+ (?:issues|problems|errors):)|\berror(?: TS\d+|\[\w+\])?:|\bBUILD FAILED\b/;
/** How git tells what a commit is called. */
const committed = /^\[[^\]]+ [0-9a-f]{7,40}\] \S/;
const isCommit = (command: string): boolean =>
	command.split(/[|;&]/).some((part) => /\bgit\b/.test(part) && /\scommit\b/.test(part));
/** Where in the code something happened, an address or a title alone: what went wrong stands elsewhere. */
const onlyPlace =
	/^(?:at (?:.* \()?\S+:\d+(?::\d+)?\)?|https?:\/\/\S+|console\.(?:log|info|warn|error|debug)|.{0,80}[:：])$/;
/** Lines beside a sum that say nothing of how it went. */
const sideLine = /^(?:Snapshots:|Time:|Duration|Start at|Ran all|transforming|collecting)/;
const noise =
	/^(?:\[[^\]]{1,40}\]\s)?(?:\$|>|#|===|---\s*$|\+{1,3}\s)|^(?:Chunk ID|Wall time|Original token count|Process exited|Output:|Exit code)|^\W*\d[\d,]* (?:more )?(?:lines|characters|bytes|tokens) (?:truncated|omitted|not shown)/;

/** The outcomes of all calls that ended, in steps of some milliseconds. */
export function* outcomeSteps(sources: readonly Source[], found: Found): Slices<Outcomes> {
	const calls = new Map<string, { call: ToolCall; caller: Source }>();
	const byResult = new Map<Source, Outcome>();
	const byCall = new Map<ToolCall, Outcome>();
	for (let index = 0; index < sources.length; index++) {
		if (index % workLimits.messagesPerSlice.outcomes === workLimits.messagesPerSlice.outcomes - 1) yield;
		const source = sources[index];
		if (!source) continue;
		for (const call of source.calls) calls.set(call.id, { call, caller: source });
		if (source.role !== 'tool') continue;
		const asked = calls.get(source.toolCallId ?? '');
		if (!asked) continue;
		const end = foundUnder(found.ends, source, [asked.call], () => {
			noteOpenFile(found, asked.call, source);
			return endOf(asked.call, source, foundTouch(found, asked.call)?.path);
		});
		const outcome = outcomeOf(asked, end);
		byResult.set(source, outcome);
		byCall.set(asked.call, outcome);
	}
	settleFailures([...byResult.values()]);
	for (const [call, outcome] of interrupted(sources, byCall)) byCall.set(call, outcome);
	return { byResult, byCall };
}

/** Whether the outcome of a call says all that its result does: the sum of a check that passed. */
export function isToldByOutcome({ check, failed, fell, message }: Outcome): boolean {
	return check && !failed && !fell && summaryLine.test(message);
}

/** Records for each failure the next result that settles it: of the same action, or of all of its checks. */
function settleFailures(outcomes: readonly Outcome[]): void {
	const passed = new Map<string, Source>();
	const checks = new Map<string, { run: CheckRun; result: Source }[]>();
	for (const outcome of outcomes.toReversed()) {
		const { action, runs, result } = outcome;
		if (outcome.failed || outcome.fell) {
			const settling = runs.map(
				(run) => checks.get(run.tool)?.findLast((one) => settles(one.run, run))?.result,
			);
			const latest = settling.reduce((a, b) => (a && b && a.seq > b.seq ? a : b), settling[0]);
			const isSettled = settling.every((one) => one !== undefined);
			outcome.passedLater = passed.get(action ?? '') ?? (isSettled ? latest : undefined);
			continue;
		}
		if (action !== undefined) passed.set(action, result);
		for (const run of runs) {
			const others = checks.get(run.tool)?.filter((one) => !settles(run, one.run)) ?? [];
			checks.set(run.tool, [...others, { run, result }]);
		}
	}
}

/** Calls without a result in turns that are over, if the session has results at all. */
function interrupted(
	sources: readonly Source[],
	answered: ReadonlyMap<ToolCall, Outcome>,
): [ToolCall, Outcome][] {
	if (answered.size === 0) return [];
	const lastTurn = sources.findLastIndex((source) => isTyped(source));
	return sources.slice(0, Math.max(0, lastTurn)).flatMap((caller) =>
		caller.calls
			.filter((call) => !answered.has(call))
			.map((call): [ToolCall, Outcome] => {
				const end = {
					result: caller,
					failed: true,
					fell: false,
					stopped: true,
					mechanical: false,
					check: false,
					runs: [],
				};
				return [call, outcomeOf({ call, caller }, { ...end, message: 'interrupted, no result' })];
			}),
	);
}

/** Written out, and all of one shape: there are thousands. */
function outcomeOf({ call, caller }: Pick<Outcome, 'call' | 'caller'>, end: CallEnd): Outcome {
	const { result, exitCode, failed, fell, stopped, mechanical, message, check, runs, action } = end;
	return {
		call,
		caller,
		result,
		exitCode,
		failed,
		fell,
		stopped,
		mechanical,
		message,
		check,
		runs,
		action,
		passedLater: undefined,
	};
}

/** How a call ended, as its result alone says it. `path`: of the file that it worked on. */
export function endOf(call: ToolCall, result: Source, path?: string): CallEnd {
	const exitCode = exitCodeOf(result.text);
	const edge = result.text.slice(0, workLimits.statusLength);
	const stopped = result.failed === true && refusal.test(edge);
	const command = commandOf(call);
	const check = isCheck(call);
	const action = actionOf(call, path);
	const noHit =
		exitCode === 1 &&
		command !== undefined &&
		/\b(?:rg|grep)\b/.test(command) &&
		linesOf(result.text).length === 0;
	const failed = !noHit && (result.failed === true || (exitCode !== undefined && exitCode !== 0));
	const mechanical = failed && !stopped && mechanicalFailure.test(edge);
	const isEmpty = /^(?:\[\s*\]|\{\s*\}|null|"")?$/.test(result.text.slice(0, 40).trim());
	const base = {
		result,
		...(exitCode !== undefined && { exitCode }),
		failed,
		fell: false,
		stopped,
		mechanical,
		check,
		runs: check ? checkRunsOf(call) : [],
		...(action !== undefined && { action }),
	};
	if (noHit || (!failed && isFileTool(call) && nothingFound.test(edge))) return { ...base, message: noMatch };
	if (isEmpty && !failed && !isFileTool(call) && command === undefined)
		return { ...base, message: 'nothing' };
	if (stopped) {
		const answer = answerIn(result);
		return {
			...base,
			message: answer === undefined ? refusalWords(result.text) : `refused by the user: ${answer}`,
		};
	}
	if (failed) return { ...base, message: errorLine(result.text, showingPrograms(command ?? '')) };
	if ((command === undefined && isFileTool(call)) || result.rows) return { ...base, message: '' };
	// The last of many lines that a file has, or that a search found, is no outcome.
	if (isLook(call) && !check && linesOf(result.text).length > 1) return { ...base, message: '' };
	const message = lastWord(result.text, check, command);
	return { ...base, message, fell: check && (tellsFailure.test(message) || tellsOtherFailure.test(message)) };
}

/** A refusal in the words of its result, without what agents tell their models to do then. */
function refusalWords(text: string): string {
	const [line = ''] = linesOf(text);
	return /want to|interrupted/i.test(line) ? 'refused by the user' : cut(line);
}

/** The exit code that a result states about its command, if any. */
function exitCodeOf(text: string): number | undefined {
	const { head, tail } = exitCodeRange;
	const edge = text.length <= head + tail ? text : `${text.slice(0, head)}\n${text.slice(-tail)}`;
	const found = exit.exec(edge);
	return found === null ? undefined : Number(found[1]);
}

function linesOf(text: string): string[] {
	const { outcome: most } = workLimits.maxLengthOf;
	const edge = text.length <= 2 * most ? text : `${text.slice(0, most)}\n${text.slice(-most)}`;
	return edge
		.split('\n')
		.map(cleanLine)
		.filter((line) => line !== '' && !noise.test(line) && exitCodeOf(line) === undefined);
}

/** The line that says what went wrong; `shows` are the command's programs that only show what others wrote. */
function errorLine(text: string, shows: readonly string[] = []): string {
	const lines = linesOf(text);
	const complaint = lines.findLast((line) => shows.some((program) => line.startsWith(`${program}: `)));
	if (complaint !== undefined) return cut(complaint);
	const ranked = lines.map((line, index) => ({ line, index, rank: rankOf(line) }));
	const best = ranked.reduce<(typeof ranked)[number] | undefined>(
		(top, one) => (top && top.rank >= one.rank ? top : one),
		undefined,
	);
	if (!best) return '';
	const next =
		best.rank >= 3
			? ranked.slice(best.index + 1, best.index + 1 + maxErrorGap).find(({ rank }) => rank >= 3)
			: undefined;
	const text2 =
		next && best.line.length + next.line.length < tuning.lengths.maxLine
			? `${best.line} | ${next.line}`
			: best.line;
	return cut(text2);
}

/** A diagnosis with its place says most, then a named error, then whatever says more than a word. */
function rankOf(line: string): number {
	if (/task failed|exit status|command failed|npm ERR!|ELIFECYCLE|exited with|recipe for target/i.test(line))
		return 1;
	if (onlyPlace.test(line)) return 0;
	if (/^\S+\.\w{1,6}[:(]\d+[:,)]?.{8,}/.test(line)) return 4;
	if (namesError(line)) return 3;
	return line.length > minOutcomeLength ? 2 : 0;
}

/** Whether a tool shows or changes files, so that its result is no word on the work. */
function isFileTool(call: ToolCall): boolean {
	return touchesOf(call).length > 0 || /^(?:glob|grep|ls|list|find|search|todo|task)/i.test(call.name);
}

/** What a measurement is made for: a time, a rate, a share. */
const measured =
	/\d\s?(?:[mµun]?s|secs?|seconds|minutes|%|(?:ops|req|requests|rows|tokens|[KMG]i?B)\/s(?:ec)?)(?![\w/])/;

/** The line by which a command says how it went: of a check its sum, or what it measured, or what went wrong; else the last that says something. */
function lastWord(text: string, check: boolean, command = ''): string {
	const lines = linesOf(text.slice(-workLimits.maxLengthOf.outcome));
	const made = isCommit(command) ? lines.find((line) => committed.test(line)) : undefined;
	if (made !== undefined) return cut(made);
	const sums = check ? sumsOf(lines, text) : [];
	const sum = sums.join(' | ');
	const reason = tellsFailure.test(sum) ? errorLine(text) : '';
	if (reason !== '' && !summaryLine.test(reason) && reason.length + sum.length < tuning.lengths.maxLine)
		return `${reason} | ${sum}`;
	if (sum !== '') return cut(sum);
	const figure = check ? lines.findLast((line) => measured.test(line)) : undefined;
	return cut(figure ?? lines.findLast((line) => !onlyPlace.test(line)) ?? lines.at(-1) ?? '');
}

/** The lines by which a check sums up, which stand before the last of its output where that is long or was cut. */
function sumsOf(lines: readonly string[], text: string): string[] {
	const isSum = (line: string): boolean => summaryLine.test(line) && !sideLine.test(line);
	const last = lines.filter(isSum).slice(-2);
	return last.length > 0 ? last : linesOf(text).filter(isSum).slice(-2);
}

function namesError(line: string): boolean {
	if (/^(?:error|fatal|failed|failure|FAIL)\b|\berror:|^\s*(?:E\s{2,}|×|✗|✖)/i.test(line)) return true;
	for (const word of line.slice(0, errorNameRange).matchAll(/\w+/g)) {
		if (isErrorWord(line, word.index, word.index + word[0].length)) return true;
	}
	return false;
}

function cut(line: string): string {
	return line.length <= tuning.lengths.maxLine ? line : `${firstWords(line, tuning.lengths.maxLine)}…`;
}
