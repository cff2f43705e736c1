/** Lists the lines of an output that may say how its call ended. */

import { workLimits } from '../../compact/tuning.ts';
import { cleanLine, removeEscapes } from './clean.ts';
import { findExitCode } from './exitCodes.ts';

/** The label before the first line of an output, as Gemini CLI writes it. */
const outputLabelPattern = /^Output: (?!\((?:empty|none)\)|\s)/m;
const noiseLinePattern =
	/^(?:\[[^\]]{1,40}\]\s)?(?:\$|>(?! Build failed)|#(?! (?:pass|fail) \d)|===|---\s*$|\+{1,3}\s(?!\S+ v?\d))|^(?:Chunk ID|Wall time|Script (?:completed|failed|running with)|Original token count|Process exited|Output:|Exit code|<\/?(?:output|std(?:out|err)|exit_code|task_\w+|retrieval_status)>|<status>(?:completed|failed|killed|running|stopped|success)<)|^\W*\d[\d,]* (?:more )?(?:lines|characters|bytes|tokens) (?:truncated|omitted|not shown)|^\[Python interpreter: |^(?:Command|Directory|Process Group PGID): \S|^Output: \(empty\)|^(?:Error|Signal|Background PIDs): \(none\)|^warning: build failed, waiting for other jobs|^\(Bash completed with no output\)$/;

/** The totals of pytest, which count its failures, too: `===== 54 passed, 12 deselected in 4.13s =====`. */
export const framedTotalsPattern =
	/^={3,200} ((?:\d{1,9} (?:deselected|errors?|failed|passed|skipped|subtests passed|warnings?|xfailed|xpassed)\b|no tests ran\b)[^\n]{0,200}?) ={3,200}$/;

/**
 * The number of the step of a Docker build before the name of the image, an error, or what a program printed, which follows
 * a time. The report at the end repeats the lines of the failed step with the time alone.
 */
const buildStepPattern =
	/^(?:#\d{1,4} (?:\d{1,5}\.\d{1,3} |(?=ERROR: |naming to \S{1,300} (?:[\d.]{1,9}s )?done$))|\d{1,5}\.\d{1,3} (?=[^\n]{0,300}\b[Ee]rror(?: TS\d{1,6}|\[\w{1,40}\])?:))/;

/** Vitest's heading above what a test printed, up to an empty line. It says nothing about how the tests ended. */
const testOutputPattern = /^(?:stdout|stderr) \| \S[^\n]{0,300} > /;
const testTotalsPattern = /^\s{0,9}(?:Test Files|Tests)\s/;

/** Returns the lines of an output without what single tests printed. */
function removeTestOutput(lines: readonly string[]): string[] {
	if (!lines.some((line) => /std(?:out|err)/.test(line))) return [...lines];
	let isInside = false;
	return lines.filter((line) => {
		const plain = removeEscapes(line);
		const isEnd = plain.trim() === '' || testTotalsPattern.test(plain);
		isInside = !isEnd && (isInside || testOutputPattern.test(plain));
		return !isInside;
	});
}

/** Returns the lines of an output that may say how its call ended, without boilerplate; of a long output, only of both ends. */
export function listOutputLines(text: string): string[] {
	const { outcome: maxLength } = workLimits.maxLengthOf;
	const edge = text.length <= 2 * maxLength ? text : `${text.slice(0, maxLength)}\n${text.slice(-maxLength)}`;
	return removeTestOutput(edge.replace(outputLabelPattern, '').split('\n'))
		.map((line) => cleanLine(line).replace(framedTotalsPattern, '$1').replace(buildStepPattern, ''))
		.filter((line) => line !== '' && !noiseLinePattern.test(line) && findExitCode(line) === undefined);
}

/** Whether a script printed a line as the heading of a part of its output: `=== a.json`. */
export function isScriptHeading(line = ''): boolean {
	return line.startsWith('=== ');
}
