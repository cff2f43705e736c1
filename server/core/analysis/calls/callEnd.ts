/** Judges how a call ended by its result alone, and finds the line of the result that states it. */

import type { ToolCall } from '../../../protocol/conversation.ts';
import { tuning, workLimits } from '../../compact/tuning.ts';
import { findTouches } from '../../files/findTouches.ts';
import { findBrowserOutcome } from '../message/browserReports.ts';
import type { CallEnd } from '../message/callOutcome.ts';
import { isOnlyErrorReport } from '../message/errorReports.ts';
import type { Source } from '../message/source.ts';
import { addCargoTotals } from '../shell/cargoTotals.ts';
import {
	failedBuildPattern,
	failureTotalsPattern,
	findExceptionBeforeTime,
	findRunningCommandId,
	findTotalsLines,
	isEchoed,
	isPartialPass,
	isSideLine,
	isUndecided,
	measurementPattern,
	progressPattern,
	provesPass,
	ranNoTest,
	reportsFailure,
	runningMessage,
	totalsPattern,
} from '../shell/checkOutput.ts';
import { type CheckRun, findCheckRuns, isExitKnown, listTargets } from '../shell/checkRuns.ts';
import {
	computeActionKey,
	findFolder,
	findShellCommand,
	findShowingPrograms,
	isCheckCall,
	isQuery,
	quotesOtherOutput,
} from '../shell/commands.ts';
import { listFailedTests } from '../shell/failedTests.ts';
import { listGitCommands } from '../shell/gitCommands.ts';
import {
	canOnlyMissMatch,
	codeLinePattern,
	endsWithExistingText,
	endsWithSearch,
	installationPattern,
	isEmptyOutput,
	showsNothing,
} from '../shell/printedText.ts';
import { findServiceStart } from '../shell/serviceStarts.ts';
import {
	complainsOnly,
	describeRefusedSwitch,
	findAbortLine,
	goBuildVerdictPattern,
	isTraceback,
	locationPattern,
	rankErrorLine,
	runnerReportPattern,
} from '../text/errorLines.ts';
import { findExitCode, findPrintedExitCode } from '../text/exitCodes.ts';
import { isScriptHeading, listOutputLines } from '../text/outputLines.ts';
import { truncateLine } from '../text/quote.ts';
import { endsWithRows, findOnlyRow, isBelowLabel } from '../text/table.ts';
import { describeRefusalReason, findUserAnswer } from '../user/userStatements.ts';
import {
	addCounts,
	addDoneLine,
	countPattern,
	describeMissingError,
	describeTimeLimit,
	findEditError,
	findErrorLine,
	findOwnError,
	joinReason,
} from './failureMessage.ts';
import { entersPlanMode } from './plans.ts';

/** Maximum length of a short output, including escape codes and boilerplate. UTF-16 units. */
const maxShortOutputLength = 600;

const mechanicalFailurePattern =
	/file has not been read yet|string to replace (?:was )?not found|old_?string.{0,40}(?:not found|not unique)|found \d+ matches of the string|InputValidationError|file has been (?:modified|unexpectedly modified)|no changes to make|must (?:first )?read|tool_use_error/i;
/** Claude Code's report that it did not run a call, or stopped it, because another call of the same message failed. */
const cancelledPattern = /sibling tool call errored|cancelled: parallel tool call/i;
const refusalPattern =
	/user (?:doesn't|does not|didn't) want to (?:proceed|take this action)|tool use was rejected|rejected by (?:the )?user|(?:denied|blocked|declined|cancell?ed) by (?:the )?user|ユーザーが.{0,20}(?:拒否|却下|中断|キャンセル)|用户.{0,6}(?:拒绝|取消|中断)|vom (?:be)?nutzer (?:abgelehnt|verweigert|abgebrochen)|user (?:denied|declined|refused)|request interrupted by user/i;
/** Reports of search tools that found nothing. */
const emptySearchPattern =
	/^\s*(?:no (?:files?|matches|results?)(?: (?:were|was))? found\.?|found 0 \w+\.?)\s*$/i;
/** A result that is an empty JSON value. */
const emptyDataPattern = /^\s{0,9}(?:\[\s{0,9}\]|\{\s{0,9}\}|null|"")\s{0,9}$/;
/** The outcome of a search without a match. */
export const noMatchMessage = 'no match';
/** The outcome of a script whose last command is a search without a match. */
const lastMissMessage = 'no match of its last search';
/** Words with which an output may report a failure. */
const failureWordPattern =
	/\b(?:can(?:no|['’])t|denied|err(?:or)?|exception|exited|fail(?:ed|s|ure)?|fatal|no such|not found|refused|rejected|traceback|unable)\b/i;
/** The outcome of a command that shows existing text, and found none. */
const noOutputMessage = 'no output';
/** The program of a search, not an option such as `--grep`. */
const searchProgramPattern = /(?<![-\w])(?:rg|grep|findstr)\b/;
/** Git's report of a new commit, with its branch, if it has one, and its hash: `[main 7c41e9b] Store`, `[detached HEAD 7c41e9b] Store`. */
export const commitReportPattern =
	/^(?:Output: )?\[(?:([^\s\]]{1,200})|[^\]\n]{1,200}) ([0-9a-f]{7,40})\] \S/m;
/** A shell's report that it could not read its script, so that the last commands of the script did not run. */
const unparsedPattern =
	/^(?:Output: )?(?:(?:\S{0,40}sh|\(eval\)): (?:(?:eval|-c): )?line \d{1,6}: syntax error|(?:\S{0,40}sh|\(eval\)):(?:\d{1,6}:)? parse error near )/m;
/** The first frame of an exception of a program whose text is in the command. */
const ownScriptPattern = /^[^\n]*\n\s*File "<(?:stdin|string)>"/;
const isCommit = (command: string): boolean =>
	command.split(/[|;&]/).some((part) => /\bgit\b/.test(part) && /\scommit\b/.test(part));
/** Returns how a call ended, judged only by its result. `path` is the file that the call accessed. */
export function judgeCall(call: ToolCall, result: Source, path?: string): CallEnd {
	const { text } = result;
	const command = findShellCommand(call) ?? '';
	const isCheck = isCheckCall(call) && !unparsedPattern.test(text.slice(-workLimits.maxLengthOf.outcome));
	const checkRuns = isCheck ? findCheckRuns(call) : [];
	const printedCode = findPrintedExitCode(command, text);
	const isProgram = command !== '' || /^exit code/i.test(text) || !showsTexts(call);
	const exitCode = isProgram ? (findExitCode(text) ?? printedCode) : undefined;
	const beginning = text.slice(0, workLimits.statusLength);
	// A search in a check's output that finds nothing does not prove that the check passed.
	const hasNoMatch =
		(exitCode === undefined && result.failed === true && isEmptyOutput(text) && canOnlyMissMatch(command)) ||
		((exitCode === 1 || (isCheck && !exitCode && !result.failed)) &&
			searchProgramPattern.test(command) &&
			showsNoMatch(command, text));
	const abortLine = findAbortLine(text) || describeTimeLimit(call, text);
	const wasAborted = command !== '' && abortLine !== '';
	const isSingle = command !== '' && !/[;\n]|\|\|/.test(command);
	const isRefused =
		exitCode === undefined &&
		((isSingle && complainsOnly(text)) || (isTraceback(text) && (isSingle || ownScriptPattern.test(text))));
	// The exit code is that of the last search alone.
	const isOnlyMiss =
		exitCode === 1 && !isCheck && endsWithSearch(command, /^[;\n]$/) && !failureWordPattern.test(text);
	const missMessage = hasNoMatch ? noMatchMessage : isOnlyMiss ? lastMissMessage : undefined;
	const failed =
		missMessage === undefined && (result.failed === true || wasAborted || isRefused || (exitCode ?? 0) !== 0);
	const wasStopped =
		result.failed === true && (refusalPattern.test(beginning) || cancelledPattern.test(beginning));
	const hasKnownExit = isExitKnown(checkRuns);
	const mayHideFailure = isCheck && !failed && missMessage === undefined && !(hasKnownExit && exitCode === 0);
	const outcome =
		missMessage ??
		(wasStopped
			? describeRefusal(result)
			: (failed && abortLine) || findOutcomeMessage(call, result, failed, isCheck ? checkRuns : undefined));
	const isOpen = mayHideFailure && !reportsFailure(outcome) && !provesPass(checkRuns, text, outcome);
	const failures = isOpen ? describeFailedTests(call, text) : '';
	// A script that prints its exit code, and nothing else, tells that it worked.
	const hasOnlyCode = outcome === '' && !failed && !isCheck && printedCode === 0;
	const message = failures || (hasOnlyCode ? 'exit 0' : outcome);
	const hasHiddenFailure = mayHideFailure && reportsFailure(message);
	const runningId = command === '' ? undefined : findRunningCommandId(text);
	const isRunning = runningId !== undefined;
	return {
		result,
		command,
		gitCommands: listGitCommands(command),
		exitCode,
		failed,
		hasHiddenFailure,
		wasStopped,
		isToolRejection: failed && !wasStopped && mechanicalFailurePattern.test(beginning),
		message: isRunning && isCheck ? `${runningMessage}${message === '' ? '' : `: ${message}`}` : message,
		isCheck,
		checkRuns,
		serviceStart: isCheck || failed ? undefined : findServiceStart(command),
		hasPassed:
			!failed &&
			!hasHiddenFailure &&
			!isRunning &&
			!isOnlyErrorReport(result) &&
			(isCheck
				? !command.trimEnd().endsWith('&') &&
					!ranNoTest(message, command) &&
					!isPartialPass(message) &&
					(hasKnownExit ||
						(!listOutputLines(text).some(reportsFailure) && provesPass(checkRuns, text, message)))
				: !(/ \| (?:tail|head|grep)\b/.test(command) && listOutputLines(text).some(reportsFailure))),
		actionKey: computeActionKey(call, path),
		runningId,
		folder: findFolder(call),
	};
}

/** Whether the output of a search is empty apart from what its script printed itself, or a count of 0. */
function showsNoMatch(command: string, text: string): boolean {
	const lines = listOutputLines(text);
	return lines.every((line) => isEchoed(line, command)) || (/ -\w*c/.test(command) && lines.join() === '0');
}

/** Whether the message of an outcome is the whole result. */
export function isWholeResult({ message, result: { text } }: CallEnd): boolean {
	return (
		message !== '' && text.length <= maxShortOutputLength && listOutputLines(text).join(' | ') === message
	);
}

/**
 * Returns the line that states the outcome of a call that was not refused; empty if no line does. `checkRuns` is undefined for
 * a call that checks nothing.
 */
function findOutcomeMessage(
	call: ToolCall,
	result: Source,
	failed: boolean,
	checkRuns: readonly CheckRun[] | undefined,
): string {
	const { text, rows } = result;
	// The user's words are quoted elsewhere.
	if (!failed && findUserAnswer(result) !== undefined) return '';
	if (!failed && entersPlanMode(call)) return '';
	const command = findShellCommand(call);
	if (failed)
		return (
			findEditError(call, text) ||
			findOwnError(text, checkRuns) ||
			addDoneLine(
				addCounts(findErrorLine(text, findShowingPrograms(command ?? '')), text, checkRuns),
				text,
				checkRuns ? '' : (command ?? ''),
			) ||
			describeMissingError(text)
		);
	const isFile = isFileTool(call);
	if (isFile && emptySearchPattern.test(text.slice(0, workLimits.statusLength))) return noMatchMessage;
	const isData = command === undefined && !isFile;
	if (command === undefined && isQuery(call) && emptyDataPattern.test(text)) return 'no results';
	// Codex does not record what a search of the web found.
	if (isData && text.trim() === '' && /web_?search/i.test(call.name)) return '';
	if (isData && (text.trim() === '' || emptyDataPattern.test(text))) return 'nothing';
	if (command === undefined && isFile) return isFoundValue(call, text) ? text.trim() : '';
	if (rows) return '';
	const page = command === undefined ? findBrowserOutcome(text) : undefined;
	if (page !== undefined) return truncateLine(page);
	if (!checkRuns && showsNothing(call, text)) return noOutputMessage;
	// Each part below a heading has its own outcome.
	const hasParts = !checkRuns && text.split('\n').filter(isScriptHeading).length > 1;
	const shortOutput = checkRuns || isFile || hasParts ? undefined : joinShortOutput(text, command);
	if (shortOutput !== undefined) return shortOutput;
	if (isCommit(command ?? '')) {
		const report = listOutputLines(text).find((line) => commitReportPattern.test(line));
		if (report !== undefined) return truncateLine(report);
	}
	if (hasParts) return '';
	if (command === undefined && showsTexts(call)) {
		// The end of a page says nothing.
		if (text.length > maxShortOutputLength) return '';
		const failure = listOutputLines(text).find((line) => fetchFailurePattern.test(line));
		if (failure !== undefined) return truncateLine(failure);
	}
	if (!checkRuns && endsWithExistingText(call) && listOutputLines(text).length > 1) return '';
	return findOutcomeLine(call, text, checkRuns);
}

/** A single name, such as an id, not a path. */
const namePattern = /^\s{0,9}[^\s/\\|]{1,64}\s{0,9}$/;

/** Whether the whole result of a search is the name that it found. */
function isFoundValue(call: ToolCall, text: string): boolean {
	return isQuery(call) && findTouches(call).length === 0 && namePattern.test(text);
}

/** Returns the failed tests in an output whose totals are missing; empty if none failed. */
function describeFailedTests(call: ToolCall, text: string): string {
	const names = quotesOtherOutput(call) ? [] : listFailedTests(text);
	return names.length === 0 ? '' : truncateLine(`${names.length} failed: ${names.join(', ')}`);
}

/** Returns the reason of a refusal, or else the line that states it, without the agent's instructions to its model. */
function describeRefusal(result: Source): string {
	const reason = describeRefusalReason(result);
	if (reason !== undefined) return truncateLine(reason);
	const [line = ''] = listOutputLines(result.text);
	if (cancelledPattern.test(line)) return 'cancelled, because a parallel call failed';
	if (/\binterrupted by user\b/i.test(line)) return 'interrupted by the user';
	return /want to|interrupted/i.test(line) ? 'refused by the user' : truncateLine(line);
}

/** Programs that show lines of files. The files may have changed later. */
const lineProgramPattern = /^(?:cat|sed|nl|awk|diff|grep|rg|jq|yq|less)$/;
/** The start of a command that shows the start or the end of a file, not of an output. */
const endCommandPattern = /^\s*(?:cd \S+ && )?(?:head|tail)\b/;
/** A git command that shows changes. At most 100 characters before its subcommand keep the search linear. */
const changesPattern =
	/\bgit\b[^|;&\n]{0,100}\s(?:diff(?![^|;&\n]{0,100} --(?:name-\w+|stat)\b)|show|log|blame|stash)\b/;

/** Returns a short output of a command on one line; undefined if it is long, or may show lines of files. */
function joinShortOutput(text: string, command: string | undefined): string | undefined {
	if (command === undefined || text.length > maxShortOutputLength) return undefined;
	if (endCommandPattern.test(command) || changesPattern.test(command)) return undefined;
	if (findShowingPrograms(command).some((one) => lineProgramPattern.test(one))) return undefined;
	const lines = listOutputLines(text).filter((one) => !isEchoed(one, command));
	const line = lines.join(' | ');
	return line.length <= tuning.lengths.maxLine ? line : undefined;
}

/** The name of a tool that shows texts, such as web pages. */
const findingToolPattern =
	/(?:^|[_.:/-]|(?<=[a-z])(?=[A-Z]))(?:ask|browse|crawl|extract|fetch|find|lookup|query|read|scrape|search|view)(?![a-z])/i;

/** A line of a tool that could not get a text. */
const fetchFailurePattern =
	/^[^\n]{0,30}\b(?:connection|download|extraction|fetch|navigation)\b[^\n]{0,30}\b(?:failed|forbidden|refused|timed out)\b|^\W{0,9}(?:could not|failed to|unable to) (?:connect|fetch|get|load|open|reach|read)\b|\bHTTP(?: error| status)? ?[45]\d\d\b/i;

/** Whether a tool shows texts of others, which may mention exit codes. */
function showsTexts(call: ToolCall): boolean {
	return isFileTool(call) || findingToolPattern.test(call.name);
}

/** Whether a tool shows or changes files: its result says nothing about the state of the work. */
function isFileTool(call: ToolCall): boolean {
	return findTouches(call).length > 0 || /^(?:glob|grep|ls|list|find|search|todo|task)/i.test(call.name);
}

/** The first line of a server's answer; a header, or the start of the text below the headers. */
const httpStatusPattern = /^HTTP\/\d(?:\.\d)? \d{3}\b/;
const httpAnswerPattern = /^(?:[A-Za-z][\w-]{1,60}: |[{[<])/;

/** Returns the status of the server's answer at the end of an output; undefined if the output ends otherwise. */
function findHttpStatus(lines: readonly string[]): string | undefined {
	const index = lines.findLastIndex((line) => httpStatusPattern.test(line));
	return lines.slice(index + 1).every((line) => httpAnswerPattern.test(line)) ? lines[index] : undefined;
}

/**
 * Returns the line that reports the outcome of a command: for a check, its totals line, with the error if the check failed,
 * or else a measured value. Otherwise the last line, unless it is a row of a table, code, a value below a label, or existing
 * text below a check.
 */
function findOutcomeLine(call: ToolCall, text: string, checkRuns: readonly CheckRun[] | undefined): string {
	const command = findShellCommand(call) ?? '';
	const isRetried = / \|\| /.test(command);
	const lines = listOutputLines(text.slice(-workLimits.maxLengthOf.outcome));
	const exception = endsWithExistingText(call) ? '' : findExceptionBeforeTime(lines);
	if (exception !== '') return truncateLine(exception);
	// Totals may be those of an earlier step of the build.
	if (checkRuns && !isRetried && lines.some((line) => failedBuildPattern.test(line)))
		return addCounts(findErrorLine(text), text, checkRuns);
	const targets = listTargets(checkRuns);
	const sums = checkRuns && addCargoTotals(text, command);
	const totalLines = checkRuns
		? findTotalsLines(sums ? [sums] : [lines, listOutputLines(text)], isRetried, targets)
		: [];
	const totals = totalLines.join(' | ');
	const isFailure = failureTotalsPattern.test(totals) || totals.startsWith('FAIL');
	const ownError = isFailure ? findOwnError(text, checkRuns) : '';
	if (ownError !== '') return ownError;
	const error = isFailure || isUndecided(totals) ? findErrorLine(text) : '';
	const reason = isFailure || rankErrorLine(error) > 2 ? error : '';
	if (totals !== '' && reason.endsWith(totals)) return reason;
	if (reason !== '' && !totalsPattern.test(reason)) {
		const line = `${reason} | ${totals}`;
		// What failed matters more than why if it is counted, or if the reason may be that of another file.
		const isReasonBetter =
			totalLines.every((one) => goBuildVerdictPattern.test(one)) ||
			(targets.length === 0 && !countPattern.test(totals));
		if (line.length < tuning.lengths.maxLine || isReasonBetter) return truncateLine(line);
	}
	if (totals !== '') return truncateLine(totals);
	const report =
		checkRuns && !isRetried ? lines.findLast((line) => runnerReportPattern.test(line)) : undefined;
	if (report !== undefined && reportsFailure(report)) return joinReason(findErrorLine(text), [report]);
	const status = checkRuns ? undefined : (findHttpStatus(lines) ?? findOnlyRow(lines));
	const isSide = checkRuns ? isSideLine : isEchoed;
	const printed = lines.filter((line) => !progressPattern.test(line));
	const figure = checkRuns ? printed.findLast((line) => measurementPattern.test(line)) : undefined;
	const own = printed.filter((line) => !isSide(line, command));
	const stated =
		figure ??
		status ??
		lines.findLast((line) => installationPattern.test(line)) ??
		(checkRuns ? own.findLast((line) => rankErrorLine(line) >= 3) : undefined);
	// What a search found after the check passed is the result.
	const isFound = endsWithSearch(command, /^&&$/) && !reportsFailure(own.at(-1) ?? '');
	if (stated === undefined && checkRuns && own.length > 1 && !isFound && endsWithExistingText(call))
		return '';
	const last = stated ?? own.findLast((line) => !locationPattern.test(line)) ?? own.at(-1) ?? '';
	const isExcerpt =
		endsWithRows(text, lines) ||
		(lines.length > 1 &&
			(codeLinePattern.test(last) || /^\d{1,3}[.)] /.test(last) || isBelowLabel(text, last)));
	return isExcerpt && !checkRuns
		? ''
		: truncateLine(`${describeRefusedSwitch(listOutputLines(text))}${last}`);
}
