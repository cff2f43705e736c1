/** Tells prose from lists, logs and code. */

import { tuning, workLimits } from '../../compact/tuning.ts';
import { isCodeLine } from './codeLines.ts';
import { denseScriptPattern } from './ruleWords.ts';

/** A line of prose. Scripts that write a word in one or two characters need fewer characters. */
const proseLinePattern =
	/^(?:[-*#\d.)|]+\s+(?=\S))?(?:[\p{Lu}"'(`*\p{Lo}][^{};=<>]{40}|(?=[^{};=<>]*[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}]{6})[^{};=<>]{14})/u;

/** A word between spaces, not a part of a path. */
const plainWordPattern = /(?<=^|[\s"'(`*])\p{L}{2,}(?=$|[\s,.;:!?)"'`*])/gu;
/** Minimum number of plain words in a line of prose. Paths, dates and statuses have fewer. */
const minProseWords = 4;
/** Length of a line's start whose words are counted. UTF-16 units. */
const countedLineLength = 200;

/** Factor for the share of prose that makes a text with headings prose: it also has lists, tables and code. */
const markdownFactor = 0.5;

function isProseLine(line: string): boolean {
	if (!proseLinePattern.test(line) || isCodeLine(line)) return false;
	const start = line.slice(0, countedLineLength);
	return denseScriptPattern.test(start) || (start.match(plainWordPattern)?.length ?? 0) >= minProseWords;
}

/** Whether a result is prose: the report of a sub-agent, a web page, an answer. */
export function isProse(text: string): boolean {
	const lines = text
		.slice(0, workLimits.maxLengthOf.result)
		.split('\n')
		.filter((line) => line.trim() !== '');
	const share = lines.filter((line) => isProseLine(line.trimStart())).length / lines.length;
	const isMarkdown = lines.filter((line) => /^#{2,4} \p{Lu}/u.test(line)).length > 1;
	return share > tuning.results.reportShare * (isMarkdown ? markdownFactor : 1);
}
