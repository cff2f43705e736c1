/** Finds lines of logs that say the same as another line with other numbers. */

import { rankErrorLine } from './errorLines.ts';

/** A line of a log or of a progress report: it has a level, starts with a time, or ends with a percentage. */
const logLinePattern =
	/^\[?(?:\d{4}-\d{2}-\d{2}|\d{2}:\d{2}:\d{2})|^.{0,40}\b(?:WARN(?:ING)?|INFO|DEBUG|TRACE|NOTICE)\b|\b\d{1,3}%(?: \([\d/]{1,40}\).{0,20})?$/;
const numberedWordPattern = /[\w-]{0,200}\d[\w-]{0,200}/g;

/**
 * Returns lines without those of a log that differ from an earlier line only in numbers and ids, and state no error. `shown`
 * has the log lines that were returned before, without numbers; the new ones are added.
 */
export function dropRepeatedLogLines(lines: readonly string[], shown = new Set<string>()): string[] {
	return lines.filter((line) => {
		if (!logLinePattern.test(line) || rankErrorLine(line) > 2) return true;
		const template = line.replace(numberedWordPattern, '0');
		if (shown.has(template)) return false;
		shown.add(template);
		return true;
	});
}
