/** Finds the lines of a failed call's output that state the error. */

import { isErrorWord } from './shapes.ts';

/** Length of a line's prefix that is searched for the name of an error. UTF-16 units. */
const errorNameRange = 400;
/** Shorter lines of an output are single words and state no outcome. UTF-16 units. */
const minOutcomeLength = 12;
/** A line with only a code location, an address, a title or the command that a shell could not read. Another line says what went wrong. */
export const locationPattern =
	/^(?:at (?:.* \()?\S+:\d+(?::\d+)?\)?|\S{1,300}\.go:\d{1,7}(?: \+0x[0-9a-f]{1,16})?|(?:• )?\[(?:FAILED|PANICKED)\] (?:\[[\d.]{1,12} seconds\]|in \[\w{1,30}\] - \S[^\n]{0,400})|At \S+:\d+ char:\d+|[⎯─━═]{3}[^\n]{0,80}|https?:\/\/\S+|console\.(?:log|info|warn|error|debug)|[^\n:]{1,80}: (?:(?:eval|-c): )?line \d+: `[^\n]*|.{0,80}[:：])$/;
/** The line of code that threw an exception, as Node.js prints it above the exception. */
const throwingCodePattern =
	/^(?:throw (?:new \w{1,60}\(|\w{1,60};)|return new \w{1,60}\(|triggerUncaughtException\()/;
/** A line that reports a single passed test. `cleanLine` already removes most others. */
const passedTestPattern =
	/^(?:\(pass\)|[✓✔√] |ok \d|PASS |\S[^\n]{0,80}\spass\s+\d)|\bPASSED(?: {1,80}\[|$)|\.\.\. ok$/;
/** A line that begins with a word or sign of failure, or has `error:`. */
const failurePattern =
	/^(?:--- |\[)?(?:error|fatal|failed|failure|FAIL|not ok)\b|^\(fail\) |\berror:|^\s*(?:E\s{2,}|×|✗|✖)|^\S[^\n]{0,80}\sfail\s+\d|^\S{1,200} : (?:the term|cannot|could not|access|file \S{1,200} cannot)\b/i;

/** A program's refusal of an option of its command line. */
const rejectedOptionPattern =
	/\b(?:unknown|unrecogni[sz]ed|invalid|unsupported|ambiguous) (?:command[- ]line )?(?:option|flag|argument)|\boptions? ["'`]?[-\w]+["'`]? (?:was (?:replaced|removed|renamed)|is (?:not|no longer))/i;

/** Words for a difference between the expected and the actual value. */
const goErrorPattern =
	/\b(?:expected|got|want(?:ed)?|unexpected|should|must|missing|mismatch|no|not|nil|invalid)\b|!=|n't\b/i;

/** A line that begins with a sign of success, or has the word. */
const successPattern =
	/^(?:\[ ?(?:ok|done|success|pass(?:ed)?) ?\]|[✓✔√✅]|(?:ok|done|success)(?=[:!. ]|$))|\bsuccess(?:ful(?:ly)?)?\b/i;
/** Words with which a line that mentions a success may report a failure. */
const contradictionPattern =
	/\b(?:error|fail|abort|crash|den|refus|reject|miss|inval|un)|\b(?:but|cannot|except|false|never|no|not|only|until|without)\b|n['’]t\b|[✗✖×❌]/i;

/** Whether a line reports that a test passed or a step succeeded, and nothing else. */
export function reportsSuccess(line: string): boolean {
	return passedTestPattern.test(line) || (successPattern.test(line) && !contradictionPattern.test(line));
}

/** The name of a task, which a task runner such as mise or concurrently puts before each line of the task's output. */
const taskNamePattern = /^\[(?!(?:error|fatal|fail|warn|info)\w{0,4}\])[\w:./-]{1,40}\] /i;

/** A warning that something cannot be used, after which a program does without it, or with something else. */
const unusablePattern =
	/\bfalling back to\b|warn(?:ing)?\b.{0,200}\b(?:too old|not (?:on|in) (?:your )?PATH|(?:is|are|was|were) (?:not (?:available|compatible|found|installed|supported)|incompatible|unavailable|unsupported)|(?:cannot|can't|could not) be (?:found|loaded|used))\b/i;

/** Whether a line warns that something cannot be used. What is only deprecated still works. */
export function reportsUnusable(line: string): boolean {
	return unusablePattern.test(line) && !/deprecat/i.test(line);
}

/**
 * A report of make, just or npm that a command of a target, recipe or script failed, or a line next to it. What failed, and
 * why, is in the lines of the command.
 */
export const runnerReportPattern =
	/^(?:\S{0,40}make(?:\[\d{1,3}\])?: (?:(?:\*\*\* )?\[[^\n]{1,200}\] \S{1,12} \d|\*\*\* Waiting for|(?:Entering|Leaving) directory)|error: Recipe \S{1,80} failed\b|npm error (?:code|command|Lifecycle|path|workspace|location|A complete log)\b)/;

/** A frame of pytest, next to the message, or a warning: `tests/test_tide.py:12: in check_tide`, `tide.py:12: KeyError`. */
const pytestFramePattern =
	/^\S{1,300}:\d{1,7}: (?:in \S{1,200}$|[\w.]{1,100}(?:Error|Exception|Failed)$|\w{1,60}Warning: )/;
/** Pytest's message of an exception, or of an assertion without words: `E   KeyError: 'tide'`, `E   assert 3 == 4`. */
export const pytestMessagePattern = /^E {3,20}(?:[\w.]{1,100}(?:Error|Exception|Failed)\b|assert )/;

/** Ranks a line: a diagnosis with its location highest, then a named error, then other lines of several words. */
export function rankErrorLine(text: string): number {
	const line = text.replace(taskNamePattern, '');
	if (/task failed|exit status|command failed|npm ERR!|ELIFECYCLE|exited with|recipe for target/i.test(line))
		return 1;
	if (goBuildVerdictPattern.test(line) || runnerReportPattern.test(line)) return 1;
	if (pytestMessagePattern.test(line)) return 4;
	if (pytestFramePattern.test(line)) return 1;
	if (locationPattern.test(line) || throwingCodePattern.test(line)) return 0;
	if (/^\S+\.\w{1,6}[:(]\d+[:,)]?.{8,}/.test(line)) return isGoLog(line) ? 2 : 4;
	if (namesError(line) || rejectedOptionPattern.test(line)) return 3;
	return line.length > minOutcomeLength ? 2 : 0;
}

/** Go's verdict about a package that it could not build, which the lines before explain. */
export const goBuildVerdictPattern = /^FAIL(?:\s\S{1,300} \[(?:build|setup) failed\])?$/;

/** A line of a Go test: of its log, or the error that ended it. Errors of the compiler name a column, too. */
const goTestPattern = /^\S{1,200}\.go:\d+: /;

/**
 * Returns the index of the last line of a test of Go that has the rank of the line at `first`, because the error follows
 * the log. Returns `first` for lines of other programs.
 */
export function findLastOfGoTest(lines: readonly string[], ranks: readonly number[], first: number): number {
	if (!goTestPattern.test(lines[first] ?? '')) return first;
	const next = lines.findIndex((line, index) => index > first && line.startsWith('--- '));
	const block = lines.slice(first, next < 0 ? undefined : next);
	return (
		first +
		block.findLastIndex((line, index) => goTestPattern.test(line) && ranks[first + index] === ranks[first])
	);
}

/**
 * Whether a line is one of a Go test's log, and seems to report no error. Errors of a test have the same form; errors of the
 * compiler name a column, too.
 */
function isGoLog(line: string): boolean {
	return goTestPattern.test(line) && !goErrorPattern.test(line) && !namesError(line);
}

function namesError(line: string): boolean {
	if (failurePattern.test(line)) return true;
	let previous = '';
	for (const { index, 0: word } of line.slice(0, errorNameRange).matchAll(/\w+/g)) {
		if (isErrorWord(line, index, index + word.length) && !possibilityPattern.test(previous)) return true;
		previous = word;
	}
	return false;
}

/** A word before the name of a failure that has not happened: `This will FAIL in 10.0`. */
const possibilityPattern = /^(?:will|may|might|could|would|can)$/i;

/** Length at the end of a result that is searched for the report of an abort. UTF-16 units. */
const maxAbortLength = 200;
/** The last line of the output of a command that the user or a limit of time ended, as pi, Codex, Copilot and OpenCode write it. */
const abortPattern =
	/^(?:Command aborted|aborted by user|User aborted the command|bash tool terminated command after)\b[^\n]{0,60}$|^\^C$/i;
/** The first line of the output of a command that Gemini CLI ended, or that took longer than Claude Code or a runner allows. */
const cancelledPattern =
	/^(?:Exit code -?\d{1,3}\n)?((?:Output: )?Command (?:was automatically cancelled|timed out)[^\n]{0,120})/;
/** Claude Code's report on a task in the background that was ended, or failed. */
const endedTaskPattern =
	/^(?:<retrieval_status>[^\n]{0,40}\n\s{0,4})?(?:<task_\w{1,10}>[^\n]{0,100}\n\s{0,4}){0,3}<status>(killed|stopped|cancell?ed|failed)<\/status>(?!\s{0,4}<exit_code>)/;
/** The element in which OpenCode reports how a command ended. */
const metadataEndPattern = /<\/(?:\w{1,20}_)?metadata>$/;

/** Returns the line of a command's result that reports that the command was ended before it was done; else an empty text. */
export function findAbortLine(text: string): string {
	const [, cancelled] = cancelledPattern.exec(text) ?? [];
	if (cancelled !== undefined) return cancelled;
	const [, ended] = endedTaskPattern.exec(text) ?? [];
	if (ended !== undefined) return `The task ${ended === 'failed' ? 'failed' : `was ${ended}`}.`;
	const end = text.trimEnd().slice(-maxAbortLength).replace(metadataEndPattern, '').trimEnd();
	const line = end.slice(end.lastIndexOf('\n') + 1).trim();
	return abortPattern.test(line) ? line : '';
}

/** Git's refusal to switch, merge or stash, above the names of the files. The rest of the script may go on. */
const overwritingPattern =
	/^error: (?:Your local changes to the following|The following untracked working tree) files would be (?:overwritten|removed) by \w+/;

/** Returns the line in which git refuses to overwrite files, with a separator after it; else an empty text. */
export function describeRefusedSwitch(lines: readonly string[]): string {
	const line = lines.find((one) => overwritingPattern.test(one));
	return line === undefined ? '' : `${line} | `;
}

/** A complaint of a shell, of git, or of a program that changes files: `mv: cannot stat 'a'`, `bash: a: Permission denied`. */
const complaintPattern =
	/^(?:Output: )?(?:fatal: |(?:\S{0,40}sh|\(eval\)|cd|chmod|chown|cp|install|ln|mkdir|mv|rm|rmdir|sed|tee|touch): ?[^\n]{0,400}(?:cannot|can't|denied|failed|no such|not found|not a directory|is a directory|read-only|not permitted|not empty|omitting|no space|too many))/i;
/** Maximum length of an output that may have only complaints. UTF-16 units. */
const maxComplaintsLength = 2000;

/** A heading that a script prints with `echo`: `=== a.json ===`. */
const headingPattern = /^(?:={2,}|-{2,}|#{2,})[^\n]{0,200}$/;

/** The last line of a Python exception: `ValueError: invalid literal`. */
const exceptionLinePattern = /^[A-Za-z_][\w.]{0,120}(?:Error|Exception|Exit|Interrupt)(?::|$)/;

/** Whether an output is that of a Python program which printed nothing before an exception ended it. */
export function isTraceback(text: string): boolean {
	if (!/^\s*Traceback \(most recent call last\)/.test(text)) return false;
	const end = text.trimEnd();
	return exceptionLinePattern.test(end.slice(end.lastIndexOf('\n') + 1));
}

/**
 * Whether an output is not empty and has only complaints, perhaps below headings: the command did nothing. Git explains an error
 * that ends it in more lines.
 */
export function complainsOnly(text: string): boolean {
	if (text.length > maxComplaintsLength) return false;
	const lines = text.split('\n').filter((line) => line.trim() !== '' && !headingPattern.test(line));
	return (
		lines[0]?.startsWith('fatal: ') ||
		(lines.length > 0 && lines.every((line) => complaintPattern.test(line)))
	);
}
