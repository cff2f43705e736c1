/** Collects how the calls of a session ended, and which failures passed later. */

import type { ToolCall } from '../../../protocol/conversation.ts';
import { workLimits } from '../../compact/tuning.ts';
import { getOrInsert } from '../../getOrInsert.ts';
import type { Seq } from '../../history/record.ts';
import { isFields } from '../../shape.ts';
import { forEachInSlices, type SlicedTask } from '../../slices.ts';
import {
	type AnalysisCache,
	getFileAccess,
	getFirstFileTouch,
	memoize,
	recordOpenFile,
} from '../message/analyses.ts';
import type { CallEnd, CallOutcome, Outcomes } from '../message/callOutcome.ts';
import { type MadeCall, pairResults, type Source } from '../message/source.ts';
import { findPolledCommandId, reportsFailure, totalsPattern } from '../shell/checkOutput.ts';
import { findFolder, findShellCommand, isQuery, mayBeSameFolder } from '../shell/commands.ts';
import { listGitCommands } from '../shell/gitCommands.ts';
import { listOutputLines } from '../text/outputLines.ts';
import { isTyped } from '../user/userStatements.ts';
import {
	type CommandEnd,
	endWithoutOutput,
	findShownCommandId,
	readEndNotices,
	stoppedMessage,
	toCommandResult,
} from './backgroundCommands.ts';
import { isWholeResult, judgeCall, noMatchMessage } from './callEnd.ts';
import { entersPlanMode, isPlanCall } from './plans.ts';
import { markSettledFailures } from './settledFailures.ts';
import { listStartedProcesses } from './startedProcesses.ts';
import { findStartUpLine, removeStartUpLine } from './startUpLine.ts';

/** Other commands after which the changes are back, or gone for good. */
const stashEndPattern = /\bgit stash (?:drop|clear|branch)\b|\bstash@\{/;
/** A stash that does not report whether there were changes. */
const silentStashPattern = /\bgit stash\b[^|;&\n]{0,200} (?:-q|--quiet|>)/;
/** Claude Code's shell, the only one known to keep its folder from one call to the next. */
const lastingShell = 'Bash';
/** What Claude Code adds to a result if the command left the project's folder. */
const folderResetNote = 'Shell cwd was reset';
/** Length of the end of a result that may contain the note. UTF-16 units. */
const maxNoteLength = 400;
/** A script that begins with a change of the folder. */
const folderChangePattern = /^\s*cd\s/;

/** A tool that stops a running command: `stop_bash`, `KillShell`, `TaskStop`. */
const stoppingToolPattern = /stop|(?<!s)kill/i;
/** A refusal to read the output of a command that was stopped or has ended, or to stop it. */
const alreadyEndedPattern =
	/\b(?:already|no longer) (?:been )?(?:stopped|completed|exited|killed|running)\b|\bis not running\b|\bunknown (?:process|session|shell) id\b/i;

/** Codex's report that it could not pass input to a running command, which need not have ended. */
const failedInputPattern = /^(?:write_stdin failed\b|failed to write to stdin\b)/i;

/** A call whose command ran on after its result. */
interface RunningCommand extends MadeCall {
	/** How the command ended; undefined while it runs. */
	end?: CommandEnd;
	/** The newest result that shows the file with the command's output. */
	output?: Source;
}

/** Follows calls, and commands that run on after a call, until they end. */
class OutcomeCollector {
	readonly byResult = new Map<Source, CallOutcome>();
	readonly byCall = new Map<ToolCall, CallOutcome>();
	readonly failedCalls = new Set<ToolCall>();
	readonly checks: CallOutcome[] = [];
	/** All outcomes from the first failure on, in order. */
	readonly sinceFailure: CallOutcome[] = [];
	private readonly commands = new Map<unknown, RunningCommand>();
	private readonly cache: AnalysisCache;
	readonly startUpLine: string | undefined;
	private areChangesStashed = false;
	/** Outcomes since a stash that printed nothing, so that there may have been no changes; undefined after other stashes. */
	private sinceSilentStash: CallOutcome[] | undefined;
	/** The folder to which an earlier command changed, in a shell that lives as long as the session. */
	private folder: string | undefined;

	constructor(cache: AnalysisCache, startUpLine: string | undefined) {
		this.cache = cache;
		this.startUpLine = startUpLine;
	}

	/** Adds the outcome of a call. */
	addResult(source: Source, reader: MadeCall): void {
		const { cache } = this;
		if (source.failed) this.failedCalls.add(reader.call);
		const commandId = findPolledCommandId(reader.call);
		const mayShowFile = this.commands.size > 0 && !source.failed;
		const fileId = mayShowFile ? findShownCommandId(reader.call) : undefined;
		const command = this.commands.get(commandId ?? fileId);
		// A later call may read the rest of the output. If it fails because the command was stopped, it says nothing new.
		const beginning = source.text.slice(0, workLimits.statusLength);
		const isLate =
			failedInputPattern.test(beginning) || (source.failed && alreadyEndedPattern.test(beginning));
		const { call, caller } = (isLate ? undefined : command) ?? reader;
		const isFile = command !== undefined && fileId !== undefined;
		if (isFile) command.output = source;
		const { failed, exitCode } = command?.end ?? {};
		const judge = (): CallOutcome => {
			recordOpenFile(cache, call, source);
			const end = this.judge(call, isFile ? toCommandResult(source, fileId, command.end) : source);
			const isStopped = commandId !== undefined && !end.failed && stoppingToolPattern.test(reader.call.name);
			const stop =
				isStopped || isInterrupted(end) ? { failed: false, message: stoppedMessage, hasPassed: false } : {};
			return { ...end, ...stop, result: source, call, caller, reader: reader.call, settledBy: undefined };
		};
		const outcome = memoize(
			cache.outcomes,
			source,
			[call, reader.call, failed, exitCode, this.startUpLine],
			judge,
		);
		outcome.isStashed = this.followStash(outcome);
		if (outcome.isStashed) this.sinceSilentStash?.push(outcome);
		if (reader.call.name === lastingShell) outcome.folder = this.followFolder(outcome);
		this.byResult.set(source, outcome);
		this.addOutcome(outcome);
	}

	/** Returns the folder in which a command ran, and follows its change of the folder. */
	private followFolder({ call, command, failed, result }: CallOutcome): string | undefined {
		const named = findFolder(call);
		if (result.text.slice(-maxNoteLength).includes(folderResetNote)) this.folder = undefined;
		else if (!failed && folderChangePattern.test(command)) this.folder = named;
		return named ?? this.folder;
	}

	/** Whether a call ran while git had put the session's changes aside. Follows git's commands in the call. */
	private followStash({ call, command, failed, result, isCheck }: CallOutcome): boolean {
		if (!command.includes('stash')) return this.areChangesStashed;
		const types = getFileAccess(this.cache, call).changes.map(({ type }) => type);
		const isRestored = types.includes('unstashed') || stashEndPattern.test(command);
		const isPutAside = types.includes('stashed') && !result.text.includes('No local changes to save');
		if (isPutAside) this.sinceSilentStash = silentStashPattern.test(command) ? [] : undefined;
		else if (isRestored) this.sinceSilentStash = undefined;
		const isStashed = isPutAside || (this.areChangesStashed && !isRestored);
		this.areChangesStashed = isRestored && !failed ? false : isStashed;
		return isStashed && (isCheck || !isPutAside);
	}

	/** Ends a stash that printed nothing, and whose changes no command brought back: there were none. */
	endSilentStash(): void {
		for (const outcome of this.sinceSilentStash ?? []) outcome.isStashed = false;
	}

	/**
	 * Adds the outcomes of commands without a recorded result whose agent went on to calls that have one. Some agents record no
	 * result of a command that prints nothing. Leaves out checks, which hardly ever print nothing.
	 */
	addSilentCommands(sources: readonly Source[]): void {
		const last = sources.findLastIndex(({ calls }) => calls.some((call) => this.byCall.has(call)));
		const count = this.byCall.size;
		for (const caller of sources.slice(0, Math.max(0, last)))
			for (const call of caller.calls) {
				if (this.byCall.has(call) || findShellCommand(call) === undefined) continue;
				const end = this.judge(call, { ...caller, role: 'tool', text: '', calls: [] });
				if (!end.isCheck) this.addOutcome({ ...end, result: caller, call, caller, reader: call });
			}
		if (this.byCall.size > count) this.sinceFailure.sort((a, b) => a.result.seq - b.result.seq);
	}

	/** Adds the outcomes of commands in the background that ended according to a message. */
	addNotices(source: Source): void {
		if (this.commands.size === 0) return;
		for (const [id, end] of readEndNotices(source)) {
			const command = this.commands.get(id);
			if (!command) continue;
			command.end = end;
			const { call, output } = command;
			const running = this.byCall.get(call);
			if (running?.runningId === undefined) continue;
			const result = output
				? this.judge(call, toCommandResult(output, id, end))
				: endWithoutOutput(running, end);
			this.addOutcome({ ...running, ...result, result: source, reader: call });
		}
	}

	private judge(call: ToolCall, result: Source): CallEnd {
		return judgeCall(
			call,
			removeStartUpLine(result, this.startUpLine),
			getFirstFileTouch(this.cache, call)?.path,
		);
	}

	private addOutcome(outcome: CallOutcome): void {
		const { call, caller, reader, runningId, isCheck, failed, hasHiddenFailure } = outcome;
		if (runningId !== undefined)
			this.commands.set(runningId, { ...this.commands.get(runningId), call, caller });
		this.byCall.set(call, outcome);
		this.byCall.set(reader, outcome);
		if (isCheck) this.checks.push(outcome);
		if (this.sinceFailure.length > 0 || failed || hasHiddenFailure) this.sinceFailure.push(outcome);
	}
}

/** Whether a single command that reported no failure was ended with the keyboard, such as a server after a trial. */
function isInterrupted({ message, command, result: { text } }: CallEnd): boolean {
	return message === '^C' && !/&&|;|\n/.test(command) && !listOutputLines(text).some(reportsFailure);
}

/** Returns the outcomes of all calls that ended. Runs in slices. */
export function* collectOutcomes(sources: readonly Source[], cache: AnalysisCache): SlicedTask<Outcomes> {
	const callsByResult = pairResults(sources);
	const collector = new OutcomeCollector(cache, findStartUpLine(callsByResult));
	const add = (source: Source): void => {
		const reader = callsByResult.get(source);
		if (reader) collector.addResult(source, reader);
		else collector.addNotices(source);
	};
	yield* forEachInSlices(sources, add, workLimits.messagesPerSlice);
	addInterruptedCalls(sources, collector.byCall);
	collector.addSilentCommands(sources);
	collector.endSilentStash();
	markSettledFailures(collector.sinceFailure, (call) => {
		const touch = getFirstFileTouch(cache, call);
		return touch?.kind === 'edit' ? `edit ${touch.path}` : undefined;
	});
	markBrokenChecks(collector.checks);
	return collector;
}

/** Records for each passed check the result of its newest run in the same folder if that failed, and no other check settled it. */
function markBrokenChecks(checks: readonly CallOutcome[]): void {
	const newestRuns = new Map<string, CallOutcome[]>();
	for (const outcome of checks.toReversed()) {
		const { folder, failed, hasHiddenFailure, hasPassed } = outcome;
		const key = getCheckKey(outcome);
		outcome.brokenBy = undefined;
		if (key === undefined || outcome.wasStopped || outcome.isToolRejection) continue;
		const runs = getOrInsert(newestRuns, key, () => []);
		const newest = runs.find((run) => mayBeSameFolder(run.folder, folder));
		if (!newest && (hasPassed || failed || hasHiddenFailure)) runs.push(outcome);
		if (hasPassed && newest && !newest.hasPassed && !newest.settledBy && !isOnlyExtended(outcome, newest))
			outcome.brokenBy = newest.result;
	}
}

const passedCountPattern = /\b(\d{1,7}) (?:tests? )?pass(?:ed|ing)\b/;

/** Returns the number of tests that passed; NaN if the outcome names none. */
function readPassedCount({ message }: CallOutcome): number {
	return Number(passedCountPattern.exec(message)?.[1]);
}

/** Whether a later run passed as many tests as an earlier one, so that only tests failed which the earlier run did not have. */
function isOnlyExtended(earlier: CallOutcome, later: CallOutcome): boolean {
	return readPassedCount(later) >= readPassedCount(earlier);
}

/** Returns the results that the assistant has not answered yet, without rows of data, which are ranked among themselves. */
export function findUnreadResults(sources: readonly Source[]): Set<Source> {
	const newestAnswer = sources.findLastIndex(({ role }) => role === 'assistant');
	return new Set(sources.slice(newestAnswer + 1).filter(({ role, rows }) => role === 'tool' && !rows));
}

/** Returns the calls of the newest assistant message that have no outcome. */
export function listOpenCalls(sources: readonly Source[], { byCall }: Outcomes): ToolCall[] {
	const { calls = [] } = sources.findLast(({ role }) => role === 'assistant') ?? {};
	return calls.filter((call) => !byCall.has(call));
}

const maxRunningCommands = 2;
/** A command that stops others, perhaps found by their port: `lsof -ti:5173 | xargs kill`. */
const killPattern =
	/(?:^|[|;&(]\s*|\b(?:xargs|sudo) (?:-\S+ )?)(?:kill|pkill|killall|fkill|taskkill)\b|\bnpx kill-port\b|\bfuser -\w{0,9}k\b|\bdocker (?:compose )?(?:stop|kill|rm|down)\b|\bStop-Process\b/;

/** Whether a call stops a process. */
function stopsProcess(call: ToolCall): boolean {
	const command = findShellCommand(call);
	return command !== undefined && killPattern.test(command);
}

/** Returns the newest commands, except checks, that ran on after their calls and of which no end was seen; oldest first. */
export function listRunningCommands(sources: readonly Source[], { byCall }: Outcomes): CallOutcome[] {
	const running = listStartedProcesses(sources, byCall);
	for (const [call, outcome] of byCall)
		if (outcome.runningId !== undefined && !outcome.isCheck && call === outcome.call) running.push(outcome);
	if (running.length === 0) return [];
	const kill = [...byCall].findLast(([call]) => stopsProcess(call))?.[1];
	const first = Math.min(...running.map(({ caller }) => caller.seq));
	const reports = sources.flatMap(({ role, seq, text }) =>
		role === 'assistant' && seq > first ? listEndedCommands(text).map((words) => ({ seq, words })) : [],
	);
	const isReportedEnd = ({ command, caller }: CallOutcome): boolean =>
		reports.some(({ seq, words }) => seq > caller.seq && command.includes(words));
	return running
		.filter((one) => one.caller.seq > (kill?.caller.seq ?? -1) && !isReportedEnd(one))
		.sort((a, b) => a.caller.seq - b.caller.seq)
		.slice(-maxRunningCommands);
}

/** A report that a command ended, with its program and its first argument: "pip install finished". */
const endReportPattern =
	/(?:^|[.!:]\s|\n)(?:The )?([\w./-]{2,40} [\w./-]{2,40}) (?:(?:has|have|is|was|now|already) ){0,2}(?:finished|completed?|done|ended|succeeded|failed)\b/gi;

/** Returns the beginnings of commands that ended according to a text. */
function listEndedCommands(text: string): string[] {
	return Array.from(text.matchAll(endReportPattern), ([, words = '']) => words);
}

/** Returns a key that is equal for runs of the same check; undefined if the check cannot be compared. */
export function getCheckKey({ actionKey, isStashed }: CallOutcome): string | undefined {
	return isStashed && actionKey !== undefined ? `stashed ${actionKey}` : actionKey;
}

/**
 * Returns the results of checks that ran again, or whose failed tests passed later. A run that was refused, or whose
 * output is not complete, repeats nothing; nor does a run in another folder.
 */
export function findRepeatedChecks({ checks }: Outcomes): Set<Seq> {
	const repeated = new Set<Seq>();
	const laterRuns = new Map<string, CallOutcome[]>();
	for (const outcome of checks.toReversed()) {
		const { result, wasStopped, isToolRejection, folder, call, settledBy } = outcome;
		const key = getCheckKey(outcome);
		if (key === undefined || wasStopped || isToolRejection) continue;
		const later = getOrInsert(laterRuns, key, () => []);
		const isRepeated = later.some((run) => run.call !== call && mayBeSameFolder(run.folder, folder));
		if (isRepeated || settledBy) repeated.add(result.seq);
		else if (outcome.runningId === undefined) later.push(outcome);
	}
	return repeated;
}

/**
 * Whether the line that renders a call, or the plan, already shows the whole result: a refusal, a stop, no match, a
 * passed check, what a search found, or a change of the plan.
 */
export function isShownByCallLine(outcome: CallOutcome): boolean {
	const { call, isCheck, failed, hasHiddenFailure, wasStopped, isToolRejection, message, result } = outcome;
	// Servers of MCP have task trackers, whose results contain the new task's id.
	if (!failed && (entersPlanMode(call) || (isPlanCall(call) && !call.name.includes('__')))) return true;
	// The output of an interrupted command may follow.
	if (wasStopped) return result.text.length <= workLimits.statusLength;
	if (isToolRejection || message === noMatchMessage || message === stoppedMessage) return true;
	if (toolSearchPattern.test(call.name) || (!failed && isQuery(call) && isWholeResult(outcome))) return true;
	return isCheck && !failed && !hasHiddenFailure && totalsPattern.test(message);
}

/** The tool with which an agent loads the descriptions of other tools. */
const toolSearchPattern = /^tool_?search$/i;

/** Whether a call only loaded tools, read more output of an earlier command, or stopped it, without any input to it. */
export function isPoll(call: ToolCall, outcome: CallOutcome | undefined): boolean {
	if (toolSearchPattern.test(call.name)) return true;
	if (outcome === undefined || outcome.call === call) return false;
	return !isFields(call.args) || (call.args.chars ?? '') === '';
}

/**
 * Adds outcomes of calls without a result in finished turns; none if the session has no results. A call after which the
 * agent went on was not interrupted: its tool never answers, or its result was empty and not recorded.
 */
function addInterruptedCalls(sources: readonly Source[], outcomes: Map<ToolCall, CallOutcome>): void {
	if (outcomes.size === 0) return;
	const lastTurn = sources.findLastIndex((source) => isTyped(source));
	for (const [index, caller] of sources.slice(0, Math.max(0, lastTurn)).entries())
		for (const call of caller.calls) {
			if (outcomes.has(call) || sources[index + 1]?.role !== 'user') continue;
			const command = findShellCommand(call) ?? '';
			outcomes.set(call, {
				call,
				command,
				gitCommands: listGitCommands(command),
				caller,
				reader: call,
				result: caller,
				failed: true,
				hasHiddenFailure: false,
				wasStopped: true,
				isToolRejection: false,
				isCheck: false,
				checkRuns: [],
				hasPassed: false,
				message: 'interrupted, no result',
			});
		}
}
