/** Compares lines of an output without their numbers: repetitions in logs, and the few lines that differ from all others. */

import { rankErrorLine } from './errorLines.ts';

/**
 * A line of a log or of a progress report: it has a level, starts with a time, or ends with a percentage. In the snapshot of
 * a page, a label precedes it.
 */
const logLinePattern =
	/^(?:- [a-z]{1,20}: )?["[]?(?:\d{4}-\d{2}-\d{2}|\d{2}:\d{2}:\d{2})|^.{0,40}\b(?:WARN(?:ING)?|INFO|DEBUG|TRACE|NOTICE)\b|\b\d{1,3}%(?: \([\d/]{1,40}\).{0,20})?$/;
const numberedWordPattern = /[\w-]{0,200}\d[\w-]{0,200}/g;

/** A program's complaint about one of many files, `find: ./a: Operation not permitted`, or a file that a commit creates or deletes. */
const complaintPattern =
	/^(?!(?:err(?:or)?|fatal|fail(?:ed)?|warn(?:ing)?): (?!unable to |cannot |could not ))([a-z][\w-]{0,20}): \S.{0,400}: ([A-Z][a-z]{1,20}(?: [\w'’()]{1,20}){0,7})$/;
const fileModePattern = /^(create|delete) mode \d{6} /;
/** Maximum number of lines that complain in the same words. */
const maxComplaints = 2;

/**
 * Returns lines without those of a log that repeat an earlier line: they differ only in numbers and ids, or, if they state an
 * error, only in times and numbers before its level. Of lines that say the same of many files, returns the first.
 * `shown` counts the lines that were returned before, by their keys; the new ones are added.
 */
export function dropRepeatedLogLines(lines: readonly string[], shown = new Map<string, number>()): string[] {
	return lines.filter((line) => {
		const [complaint, program, message] = complaintPattern.exec(line) ?? fileModePattern.exec(line) ?? [];
		if (complaint === undefined && !logLinePattern.test(line)) return true;
		// The numbers in the text of an error may say what failed.
		const template = rankErrorLine(line) > 2 ? maskPosition(line) : maskNumbers(line);
		const key = complaint === undefined ? template : `${program}: ${message}`;
		const count = shown.get(key) ?? 0;
		if (count >= (complaint === undefined ? 1 : maxComplaints)) return false;
		shown.set(key, count + 1);
		return true;
	});
}

/** The level of an error in a log. */
const levelPattern = /\b(?:CRITICAL|ERROR|FATAL|PANIC|critical|error|fatal)\b/;
/** A date, a time, or a number that is no part of a name. */
const positionPattern =
	/\b\d{4}-\d{2}-\d{2}|\b\d{1,2}:\d{2}(?::\d{2})?(?:[.,]\d{1,9})?|(?<![\w./-])\d{1,12}(?![\w./-])/g;

/** Returns a line with 0 in place of the times and numbers before its level, such as the number of its process. */
function maskPosition(line: string): string {
	const level = levelPattern.exec(line)?.index ?? 0;
	return line.slice(0, level).replace(positionPattern, '0') + line.slice(level);
}

function maskNumbers(line: string): string {
	return line.replace(numberedWordPattern, '0');
}

/** Minimum number of lines of a uniform output, and the minimum share of lines that differ only in numbers and ids. */
const uniformOutput = { minLines: 8, minShare: 0.7 } as const;
const maxOddLines = 3;

/** A line of a list of requests, as browsers' tools print it, with a status that reports a failure: `[POST] … => [500]`. */
const failedRequestPattern = /=> \[[45]\d\d\]/;

/** Returns the first failed requests that an output lists, without repetitions. */
export function findFailedRequests(lines: readonly string[]): string[] {
	const failed = new Map<string, string>();
	for (const line of lines) {
		if (!failedRequestPattern.test(line)) continue;
		const template = maskNumbers(line);
		if (!failed.has(template)) failed.set(template, line);
	}
	return [...failed.values()].slice(0, maxOddLines);
}

/** Returns the lines of a uniform output that differ in words from most others: `b7 full:no` among thirty `full:yes`. */
export function findOddLines(lines: readonly string[]): Set<string> {
	if (lines.length < uniformOutput.minLines) return new Set();
	const counts = new Map<string, number>();
	for (const line of lines) {
		const template = maskNumbers(line);
		counts.set(template, (counts.get(template) ?? 0) + 1);
	}
	const most = Math.max(...counts.values());
	if (most < uniformOutput.minShare * lines.length) return new Set();
	const odd = lines.filter((line) => counts.get(maskNumbers(line)) !== most);
	return new Set(odd.length > maxOddLines ? [] : odd);
}
