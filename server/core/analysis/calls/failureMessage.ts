/** Finds the line of a failed call's result that says what failed. */

import type { ToolCall } from '../../../protocol/conversation.ts';
import { tuning, workLimits } from '../../compact/tuning.ts';
import { findTouches } from '../../files/findTouches.ts';
import { isFields } from '../../shape.ts';
import { failureTotalsPattern, findTotalsLines, totalsPattern } from '../shell/checkOutput.ts';
import { type CheckRun, listTargets } from '../shell/checkRuns.ts';
import { hasShellCommand } from '../shell/commands.ts';
import { findLastOfGoTest, pytestMessagePattern, rankErrorLine, reportsSuccess } from '../text/errorLines.ts';
import { listOutputLines } from '../text/outputLines.ts';
import { truncateAtWord, truncateLine } from '../text/quote.ts';
import { shortenPaths } from './calls.ts';

/** Pytest's mark of the lines of a message. */
const pytestMarkPattern = /^E {3,20}/;
/** Maximum distance between the first and the second line of an error, in lines. */
const maxErrorGap = 3;

/** Returns the line that states the error; `programs` are the command's programs that only show existing text. */
export function findErrorLine(text: string, programs: readonly string[] = []): string {
	const lines = listOutputLines(text).filter((line) => !reportsSuccess(line));
	const complaint = lines.findLast((line) => programs.some((program) => line.startsWith(`${program}: `)));
	if (complaint !== undefined) return truncateLine(complaint);
	const ranks = lines.map(rankErrorLine);
	const rank = Math.max(...ranks);
	// A program states an unknown error at the end, before it stops.
	const first = rank > 2 ? ranks.indexOf(rank) : ranks.lastIndexOf(rank);
	const index = findLastOfGoTest(lines, ranks, first);
	const best = (lines[index] ?? '').replace(pytestMarkPattern, '');
	const following = rank >= 3 ? lines.slice(index + 1, index + 1 + maxErrorGap) : [];
	const next = following
		.find((line) => line !== lines[index] && rankErrorLine(line) >= 3)
		?.replace(pytestMarkPattern, '');
	const isShort = next !== undefined && best.length + next.length < tuning.lengths.maxLine;
	return truncateLine(isShort ? `${best} | ${next}` : best);
}

/** Returns a note if an output has lines, and none of them may name an error; otherwise an empty text. */
export function describeMissingError(text: string): string {
	if (text.length > 2 * workLimits.maxLengthOf.outcome || listOutputLines(text).length === 0) return '';
	const mayNameError = text.split('\n').some((line) => rankErrorLine(line.trim()) >= 3);
	return mayNameError ? '' : 'its output names no error';
}

/**
 * Returns the first line of a failed edit's result, after tags, with the error or the text not found that it announces.
 * Empty if the line reports no failure. Later lines may quote the file.
 */
export function findEditError(call: ToolCall, text: string): string {
	if (hasShellCommand(call) || findTouches(call)[0]?.kind !== 'edit') return '';
	const [first = '', second = ''] = listOutputLines(text).filter((one) => !/^<\/?[\w-]{1,40}>$/.test(one));
	const isAnnounced = first.endsWith(':') || second.startsWith('String: ');
	const line = isAnnounced ? `${shortenPaths(first)} ${second}` : shortenPaths(first);
	return /\b(?:fail|error|not\b|no\b|cannot|can't|could)/i.test(line) ? truncateLine(line) : '';
}

/** Numbers of tests in a line of totals. Without them, the line only names what failed: `FAIL shop/rows [build failed]`. */
export const countPattern = /\d (?:failed|passed|skipped|total|tests?|errors?)\b|[=:] ?\d/i;

/**
 * Returns the error that names a target of a failed check, such as a test's file, or that pytest prints for it, with the
 * counts; empty if there is none.
 */
export function findOwnError(text: string, checkRuns: readonly CheckRun[] | undefined): string {
	const names = listTargets(checkRuns)
		.map((target) => target.split('::', 1).join())
		.filter((name) => /\.\w+$/.test(name));
	if (names.length === 0) return '';
	const lines = text
		.split('\n')
		.filter((line) => pytestMessagePattern.test(line) || names.some((name) => line.includes(name)));
	const error = findErrorLine(lines.filter((line) => !totalsPattern.test(line)).join('\n'));
	if (rankErrorLine(error) < 3) return '';
	return joinReason(error, listCounts(text));
}

/** Returns an error with the counts of a failed check's tests, if they say that one failed; the error of other calls alone. */
export function addCounts(error: string, text: string, checkRuns: readonly CheckRun[] | undefined): string {
	const hasCounts = totalsPattern.test(error) && !/^FAILED \S{1,300}::/.test(error);
	if (error === '' || !checkRuns || hasCounts) return error;
	const counts = listCounts(text).filter((line) => failureTotalsPattern.test(line));
	return joinReason(error, counts.slice(-1));
}

/** A short line with which a step of a script says what it changed: `Patched file.` */
const doneLinePattern =
	/^(?:added|applied|created|deleted|edited|inserted|modified|moved|patched|removed|renamed|replaced|saved|updated|wrote|written)\b.{0,60}$/i;

/** Returns an error of a script with what the script says that it did before: `syntax error (after: Patched file.)`. */
export function addDoneLine(error: string, text: string, command: string): string {
	if (error === '' || !/\n|&&|;/.test(command)) return error;
	const [first = ''] = listOutputLines(text);
	const isDone = doneLinePattern.test(first) && rankErrorLine(first) < 3 && !error.includes(first);
	return isDone ? `${error} (after: ${first})` : error;
}

/** Returns the lines of an output that count its tests. */
function listCounts(text: string): string[] {
	return findTotalsLines([listOutputLines(text)], false).filter((line) => countPattern.test(line));
}

/** Joins the reason of a failure with the counts of its tests. Shortens the reason if the line would be too long. */
export function joinReason(reason: string, counts: readonly string[]): string {
	const end = counts.map((line) => (line === reason ? '' : ` | ${line}`)).join('');
	const remainingLength = tuning.lengths.maxLine - end.length;
	if (reason.length <= remainingLength || remainingLength < minReasonLength)
		return truncateLine(reason + end);
	return `${truncateAtWord(reason, remainingLength - 1)}…${end}`;
}

/** Returns the outcome of a command that Codex ended after the time that the call allowed; empty for other results. */
export function describeTimeLimit({ args }: ToolCall, text: string): string {
	const limitMs = isFields(args) ? Number(args.timeout_ms) : Number.NaN;
	const seconds = Number(timeLimitPattern.exec(text)?.[1]);
	return limitMs > 0 && seconds >= limitMs / 1000 ? `timed out after ${Math.round(seconds)} s` : '';
}

const timeLimitPattern = /^Exit code: 124\nWall time: (\d{1,6}(?:\.\d{1,9})?) seconds\n/;

/** Minimum length of a reason that is shortened. UTF-16 units. */
const minReasonLength = 60;
