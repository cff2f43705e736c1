/** Reads what the output of a check reports: its totals, its failures, and whether it proves that the check passed. */

import type { ToolCall } from '../../../protocol/conversation.ts';
import { workLimits } from '../../compact/tuning.ts';
import { isFields } from '../../shape.ts';
import { framedTotalsPattern } from '../text/outputLines.ts';
import type { CheckRun } from './checkRuns.ts';

/** A totals line, which counts the results of a check: `3 passed, 1 failed`. */
export const totalsPattern =
	/\b\d+ ?(?:\/|of|out of) ?\d+ (?:\w+ ){0,2}(?:pass|succe)|\b\d+ (?:pass(?:ed|ing)?|fail(?:ed|ing|ures?)?|tests?|(?:checks?|assertions?|cases?|specs?)(?= (?:pass|fail))|errors?|warnings?|problems?|issues?|offenses?|files? (?:changed|inspected)|suites?)\b|^(?:(?:not )?ok|FAIL(?:ED)?|PASS)\b|^--- (?:FAIL|PASS): |\bTests?:\s|Test Suites:|\bsuccess(?:ful(?:ly)?)?\b|\breal\b|\btotal\b|[✓✗✔✖](?=.{0,80}?(?:\d|\b(?:all|clean|complete|done|no|ok|pass|success)))|Done in|Finished|^naming to |BUILD (?:SUCCESS|FAIL)|\bno issues\b|up to date|\bcompleted?\b|^compiled with (?:\d+ )?warnings?\b/i;
/** A totals line that counts failures. It reveals a failure that the exit code of a pipe hides. */
export const failureTotalsPattern =
	/\b[1-9]\d* (?:fail(?:ed|ing|ures?)?|errors?|offenses?(?= detected(?!.{0,60}corrected)))\b|(?<!\d\s)\b(?:fail(?:ed|ures?)?|errors?)[:=]?\s{0,8}[1-9]/i;
/** A line that begins with a count of failures (`2 failed`, `Tests: 1 failed`), or that names what failed (`FAIL a.ts`). */
const failureReportPattern =
	/^(?:--- )?FAIL:?\s+\S|^not ok\b|^(?:[^\w✓✔√]{0,40}|Tests?:?\s+|Test Files\s+|Test Suites:\s+|test result: FAILED\. \d+ passed; |Found )[1-9]\d* (?:fail|error|problems?\b)/i;
/** The verdict and the counts in a totals line: the only difference between the totals of two runs of the same tests. */
const verdictPattern = /^(?:FAIL|PASS|ok)\b|\d[\s\S]*/g;
/** Lines of a failed check that are not totals lines. */
const failureLinePattern =
	/(?:^|\| )(?:\W*FAIL(?:ED|URE)?\b|npm (?:error|ERR!)|not ok\b|(?:│ )?(?:[Ee]rror|ERROR|fatal)\b(?!s? ?[:=] ?0)|(?:[a-z_]\w{0,40}\.){0,6}[A-Z]\w{0,40}(?:Error|Exception)(?:: |$)|\d+ (?:issues|problems|errors):)|\berror(?: TS\d+|\[\w+\])?:|\bBUILD FAILED\b|\b(?:Result: FAIL|[Bb]uild failed|tests FAILED|UPGRADE FAILED|Segmentation fault)\b/;
/** Docker's report that a command of a build failed. */
export const failedBuildPattern = /\bfailed to solve: |\bdid not complete successfully: exit code\b/;
/** Go's report of a passed package. Only the last of these lines is shown. */
const passedPattern = /^ok\s+\S+\s/;
/** A line that begins with the count of what passed. */
const passCountPattern = /^(?:all )?[1-9]\d* (?:\w+ )?pass/i;
/** Lines next to a totals line that do not show whether the check passed. */
const sideLinePattern =
	/^(?:Snapshots:|Time:|Duration|Start at|Ran all|transforming|collecting|running \d+ tests?$)/;

/** A line that only tells how long a step took. It counts if no other line reports an outcome. */
const timePattern = /^(?:\[[^\]\n]{1,40}\] )?(?:Finished|Done|Completed) in [\d.]+ ?\w{1,7}\.?$/i;

/** A line of progress: `[ 42%] Building tide.o`, `writing pages... [100%] index`, `Receiving objects: 100% (12/12), done.` */
export const progressPattern =
	/(?:^|\.\.\. ?)\[ {0,2}\d{1,3}%\](?! Built target)|^[\w: -]{1,60}: {1,9}\d{1,3}% \(\d{1,9}\/\d{1,9}\)/;

/** A measured value: a time, a rate, a share. */
export const measurementPattern =
	/\d\s?(?:[mµun]?s|secs?|seconds|minutes|%|(?:ops|req|requests|rows|tokens|[KMG]i?B)\/s(?:ec)?)(?![\w/])/;

/** A verdict about one file: `PASS src/cart.test.ts (5.1 s)`. */
const fileVerdictPattern = /^(?:FAIL|PASS) (\S{1,200})/;

/**
 * Returns the last two totals lines that count failures; if none does, the last two of all that ran a test. If the command runs the check
 * again after a failure, the last totals replace earlier ones. If the runner also checked other files than those that the
 * command names, the verdicts about the named files come first.
 * @param outputs the lines at the output's end, then all its lines, which are used if the end has no totals
 * @param targets the files and tests that the command names
 */
export function findTotalsLines(
	outputs: readonly (readonly string[])[],
	isRetried: boolean,
	targets: readonly string[] = [],
): string[] {
	const isTotalsLine = (line: string): boolean => totalsPattern.test(line) && !sideLinePattern.test(line);
	const found = outputs.map((lines) => lines.filter(isTotalsLine)).find((lines) => lines.length > 0) ?? [];
	const withoutTimes = found.filter((line) => !timePattern.test(line));
	const all = withoutTimes.length > 0 ? withoutTimes : found;
	const lastByName = new Map(all.map((line) => [line.replace(verdictPattern, '').trim(), line]));
	const totals = isRetried ? [...lastByName.values()] : all;
	const failures = totals.filter((line) => failureReportPattern.test(line));
	const lastPassed = totals.findLastIndex((line) => passedPattern.test(line));
	const hasCount = totals.some((line) => passCountPattern.test(line));
	const others = totals.filter(
		(line, index) => !passedPattern.test(line) || (index === lastPassed && !hasCount),
	);
	const counted = others.filter((line) => !ranNoTest(line));
	const latest = (
		failures.length > 0 ? failures : counted.some((line) => /\d/.test(line)) ? counted : others
	).slice(-2);
	const verdicts = totals.filter((line) => fileVerdictPattern.test(line));
	const expected = verdicts.filter((line) => {
		const file = fileVerdictPattern.exec(line)?.[1] ?? '';
		return targets.some((target) => target.endsWith(file) || file.endsWith(target));
	});
	const isAboutOthers = expected.length > 0 && expected.length < verdicts.length;
	return [...new Set(isAboutOthers ? [...expected.slice(-2), ...latest.slice(-1)] : latest)];
}

/** Whether a line reports that a check failed. */
export function reportsFailure(line: string): boolean {
	return [failureTotalsPattern, failureLinePattern, failedBuildPattern].some((one) => one.test(line));
}

/** Reports of passed checks. A report at the end of an output is about all its checks. */
const passPattern =
	/\b[1-9]\d* (?:(?:tests?|checks?|assertions?|cases?|specs?) )?pass(?:ed|ing)?\b|\b([1-9]\d*) ?(?:\/|of|out of) ?\1 (?:\w+ ){0,2}pass|(?:^|\| )(?:ok\s+\S+\s|OK(?: \(|$)|PASS(?: \||$))|\btest result: ok\b|\b(?:0|no) (?:errors?|issues?|problems?|offenses?|failures?|fail)\b|(?<!\bnot )\bsuccess(?:ful(?:ly)?)?\b|\ball checks passed\b|\bno fixes applied\b|(?:^|\| )Finished\b|\bDone in\b|\bup to date\b|\bbuilt in\b|\bcompiled with (?:\d+ )?warnings?\b|^naming to /i;
/** Whether totals tell neither that their tests passed nor that one failed: `Ran 3 tests in 0.2s`. */
export function isUndecided(totals: string): boolean {
	return /^Ran \d+ tests?\b/.test(totals) && !passPattern.test(totals) && !reportsFailure(totals);
}

/** What the shell's `time` prints after a command. */
const elapsedPattern = /^(?:real|user|sys)\s+\d/;
/** The line with which a program ends that did not handle an exception. */
const exceptionPattern = /^(?:[A-Za-z_]\w{0,60}\.){0,6}[A-Z]\w{0,60}(?:Error|Exception)(?::|$)/;

/** Returns the exception above the output of `time` with which a command ended; empty if there is none. */
export function findExceptionBeforeTime(lines: readonly string[]): string {
	if (!elapsedPattern.test(lines.at(-1) ?? '') || lines.some((line) => passPattern.test(line))) return '';
	const last = lines.findLast((line) => !elapsedPattern.test(line)) ?? '';
	return exceptionPattern.test(last) ? last : '';
}

/** Reports of a pass that include failures: `2 tests failed, 10 passed`, `success: false`. */
const includedFailurePattern =
	/(?<!\bof |\/)\b[1-9]\d* (?:(?:tests?|specs?|checks?|suites?|files?|cases?) (?:failed|did)|broken\b|crashed\b|timed out\b|aborted\b|errored\b|interrupted\b|失败|失敗|fehlgeschlagen)|\b(?:0|no) success|\bsuccess\w*(?:["']?\s?[:=]\s?["']?(?:false|no|0)\b| rate\b)/i;
/** A count of passed tests that is less than that of all: `10/12 passed`. */
const partialCountPattern = /\b(\d+) ?(?:\/|of|out of) ?(?!\1\b)\d+ (?:\w+ ){0,2}(?:pass|succe)/i;

/** Whether a report of a pass counts fewer passed tests than there are. */
export function isPartialPass(message: string): boolean {
	return partialCountPattern.test(message);
}

/** Reports of a run without tests: `No tests found`, `0 passed`, `Tests: 12 skipped, 12 total`. */
const noTestPattern =
	/\bno tests? (?:files? )?(?:found|ran|(?:were )?run|to run)\b|\[no test files\]|\b0 (?:passed|passing|pass)\b|\bran 0 tests\b|\btests run: 0\b|^Tests:\s+\d+ (?:skipped|todo), \d+ total/i;

/** Programs that report their tests even if all pass. */
const reportingProgramPattern = /(?<![\w./-])(?:vitest|jest|pytest|mocha|rspec|phpunit)(?![\w./-])/;

/** Whether the outcome of a check says that it ran no test, or is no report although `command` writes one to no file. */
export function ranNoTest(message: string, command = ''): boolean {
	if (message === '') return reportingProgramPattern.test(command) && !/>(?!&\d)/.test(command);
	return noTestPattern.test(message) && !/\b[1-9]\d* pass|\btests run: [1-9]/i.test(message);
}

/** Number of lines that `head` and `tail` show: `-5`, `-n 5`, `--lines=5`. */
const lineCountPattern = /(?:^|\s)-(?:-lines=|n ?)?(\d{1,6})(?:\s|$)/;
const defaultLineCount = 10;
/** The command that npm prints before it runs it, at the end of an output. After a failure, npm prints more. */
const commandEchoPattern = /(?:^|\n)> [^\n]*$/;

/**
 * Whether an output without any failure proves that its checks passed.
 * @param checkRuns the checks that the command ran; empty if its script could not be parsed
 * @param message the line of the output that states the outcome
 */
export function provesPass(checkRuns: readonly CheckRun[], text: string, message: string): boolean {
	const lines = text.trim().split('\n');
	const filters = checkRuns
		.flatMap((run) => run.pipedCommands)
		.filter((one) => removesLines(one, lines.length));
	const keepsTotals = ([program = '']: readonly string[]): boolean =>
		/^(?:tail|>)$/.test(program) ||
		(/^[ef]?grep$/.test(program) && framedTotalsPattern.test(lines.at(-1) ?? ''));
	// Only the end of an output shows its totals. A later command may show the end of a file.
	if (checkRuns.length === 0 || !filters.every(keepsTotals)) return false;
	if (isPartialPass(message) || includedFailurePattern.test(message)) return false;
	return (
		passPattern.test(message) ||
		(message === '' && (filters.length === 0 || commandEchoPattern.test(text.trimEnd())))
	);
}

/** Whether a command behind a pipe may have removed lines of an output that now has `lineCount` lines. */
function removesLines([program = '', ...words]: readonly string[], lineCount: number): boolean {
	if (!/^(?:head|tail)$/.test(program)) return !/^(?:cat|tee|sort|nl)$/.test(program);
	const shownCount =
		lineCountPattern.exec(words.join(' '))?.[1] ?? (words.length === 0 ? defaultLineCount : 0);
	return lineCount >= Number(shownCount);
}

/** Start of the outcome of a check that had not ended. */
export const runningMessage = 'still running then';
/** The result of a command that had not ended, with the id of the command if it has one. */
const runningPattern =
	/^(?:(?:Process running with session|Script running with cell) ID (\d+)|Command (?:is )?(?:still )?running in (?:the )?(?:background(?: with ID: ([\w-]+))?|user's terminal)|<status>running<\/status>|<command with shellId: (\S{1,40}) is still running|Tool is running as a background task with task id: (\S{1,80})|Task: (\S{1,80})\nStatus: RUNNING$)|\[The command has no new output after/m;
/** Length of the end of a result that is searched for the state of the command. UTF-16 units. */
const stateLength = 200;

/** Returns the id of a command that still runs, as its result reports; empty if it has none; undefined if none runs. */
export function findRunningCommandId(text: string): string | undefined {
	const edges = `${text.slice(0, workLimits.statusLength)}\n${text.slice(-stateLength)}`;
	// A script that calls tools may print only the id.
	const [, printedId] = /^SESSION_ID=(\d{1,9})$/.exec(text.slice(0, stateLength).trim()) ?? [];
	const [isRunning, ...ids] = runningPattern.exec(edges) ?? [];
	return isRunning === undefined ? printedId : (ids.find((id) => id !== undefined) ?? '');
}

/** Returns the id of the running command whose output a call reads; undefined for other calls. */
export function findPolledCommandId({ args }: ToolCall): string | undefined {
	if (!isFields(args)) return undefined;
	const id = args.session_id ?? args.cell_id ?? args.bash_id ?? args.task_id ?? args.shell_id ?? args.shellId;
	return typeof id === 'string' || typeof id === 'number' ? String(id) : undefined;
}

/** A line of `git status --short` or `git log --oneline`, or the version of a program. */
const repositoryLinePattern =
	/^(?:(?:[MADRCU]{1,2}|\?\?) \S+|[0-9a-f]{7,12} (?:\([^)]*\) )?\S.*|v?\d{1,4}\.\d{1,4}\.\d{1,4}(?:-\S{1,40})?)$/;

/** Whether a line is the text of an `echo` that runs however the commands next to it end: `npm test > log; echo done`. */
export function isEchoed(line: string, command: string): boolean {
	const parts = command.split(/[;\n]/);
	return parts.length > 1 && parts.some((part) => part.replace(/["']/g, '').trim() === `echo ${line}`);
}

/** Whether a line is printed next to the output of a check, which may be in a file. */
export function isSideLine(line: string, command: string): boolean {
	if (repositoryLinePattern.test(line)) return true;
	return /(?<![2&])>\s?[^&\s]/.test(command) && isEchoed(line, command);
}
