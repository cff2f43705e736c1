/** Separates users' own words from the output of programs that they pasted into a message. */

import { tuning } from '../compact/tuning.ts';
import { soundsLikeRule } from './ruleWords.ts';

/** A part of a message: the user's own words, or lines of pasted output. */
export interface MessagePart {
	text: string;
	isPasted: boolean;
	/** Number of lines with content. */
	lineCount: number;
}

/** Characters of a line that are compared with the patterns. UTF-16 units. */
const comparedLength = 300;
/** Minimum number of lines of output in a message with pasted output. */
const minOutputLines = 4;

/** Lines that programs print, and that no person types. A time alone may be a schedule, and a level alone a text to use. */
const outputPatterns: readonly RegExp[] = [
	// Log lines with a time and a level, as text or JSON.
	/^\s*[[(]?(?:\d{4}-\d\d-\d\d[T ]|[A-Z][a-z]{2} {1,2}\d{1,2} )?\d\d:\d\d:\d\d[\d.,]{0,10}\S{0,8}\s.{0,40}?\b(?:TRACE|DEBUG?|INFO|NOTICE|WARN(?:ING)?|ERROR|FATAL|CRITICAL)\b/,
	/^\s*\{"(?:time|timestamp|ts|@timestamp|level|severity|msg|parentUuid)":.{0,200}"(?:level|severity|msg|message|timestamp|sessionId)":/,
	// Stack frames and tracebacks.
	/^\s+at \S.{0,250}:\d+(?::\d+)?\)?$|^\s*File "[^"]{1,200}", line \d+|^Traceback \(most recent call last\)|^goroutine \d+ \[/,
	// Test runners, package managers, git.
	/^\s*(?:=== (?:RUN|PAUSE|CONT|NAME) |--- (?:PASS|FAIL|SKIP): )|^(?:ok|FAIL) {0,2}\t\S|^npm (?:ERR!|error|warn) /,
	/^(?:\* )?commit [0-9a-f]{40}\b|^Author: [^<>]{1,100} <[^<>]{1,100}>$|^ \d+ files? changed, |^ (?:create|delete) mode \d{6} |^\[[^\]]{1,60} [0-9a-f]{7,}\] /,
];
/** A line of an agent's screen; indented lines and prompts below belong to the screen. */
const screenMarkPattern = /^\s*[⎿⏺]/;
const promptPattern = /^\s*❯/;
const indentedPattern = /^(?: {2}|\t)/;
/** The start of a diff and of each of its parts, and the lines below. After a blank line, `- a` may be a list item. */
const diffHeadPattern =
	/^(?:diff --git |@@ -\d+(?:,\d+)? \+\d|--- [ab/]\S|\+\+\+ [ab/]\S|index [0-9a-f]{7,}\.\.)/;
const diffLinePattern = /^[ +\\]|^-(?! \S)/;
/** Lines that never belong to output: marks of a block of code, tags, list items. */
const boundaryPattern = /^\s*(?:```|~~~|<\/?[a-z][\w-]*>?|[-*•]\s|\d{1,3}[.)]\s)/;
/** A log line in JSON that begins after the user's own words. */
const logInLinePattern = /\S +(?=\{"(?:time|timestamp|ts|level|msg)":)/;

/** Whether a line of a diff is one that it removes, not an item of the user's list that begins below the diff. */
function isRemovedLine(line: string): boolean {
	return line.startsWith('-') && !(line.startsWith('- ') && soundsLikeRule(line));
}

function isOutputLine(line: string): boolean {
	const start = line.slice(0, comparedLength);
	return outputPatterns.some((pattern) => pattern.test(start));
}

/**
 * Returns the parts of a typed message, in order: one with the whole text if the message is short or has no pasted output.
 * O(text).
 */
export function splitPastedOutput(text: string): MessagePart[] {
	const whole: MessagePart[] = [createPart([text], false)];
	if (text.length <= tuning.lengths.maxVerbatim) return whole;
	const lines = text.split(/\r?\n/).flatMap(separateLog);
	const parts: MessagePart[] = [];
	let from = 0;
	for (const { start, end } of findPastedRanges(lines)) {
		if (start > from) parts.push(createPart(lines.slice(from, start), false));
		parts.push(createPart(lines.slice(start, end), true));
		from = end;
	}
	if (from === 0) return whole;
	if (from < lines.length) parts.push(createPart(lines.slice(from), false));
	return parts.filter(({ lineCount }) => lineCount > 0);
}

/** Returns a line as two if it ends with a log line in JSON. */
function separateLog(line: string): string[] {
	const found = line.endsWith('}') ? logInLinePattern.exec(line) : null;
	return found === null
		? [line]
		: [line.slice(0, found.index + 1), line.slice(found.index + found[0].length)];
}

function createPart(lines: readonly string[], isPasted: boolean): MessagePart {
	return { text: lines.join('\n'), isPasted, lineCount: lines.filter((line) => line.trim() !== '').length };
}

/** Lines `start` to `end` (exclusive) of pasted output. */
interface LineRange {
	start: number;
	end: number;
	/** Number of lines that only programs print. */
	outputs: number;
}

/**
 * Returns the ranges of pasted output. Indented lines below an output belong to it, unless a blank line precedes them or one
 * of them sounds like a rule. Any other line is the user's own: it may be a comment on the output.
 */
function findPastedRanges(lines: readonly string[]): LineRange[] {
	const ranges: LineRange[] = [];
	let open: LineRange | undefined;
	let isDiff = false;
	let isScreen = false;
	let isAfterBlank = false;
	for (const [index, line] of lines.entries()) {
		if (line.trim() === '') {
			isAfterBlank = true;
			continue;
		}
		const isIndented = indentedPattern.test(line);
		const followsBlank = isAfterBlank;
		isAfterBlank = false;
		isDiff =
			diffHeadPattern.test(line) ||
			(isDiff && (diffLinePattern.test(line) || (!followsBlank && isRemovedLine(line))));
		isScreen = screenMarkPattern.test(line) || (isScreen && (isIndented || promptPattern.test(line)));
		if (isDiff || isScreen || isOutputLine(line)) {
			if (open === undefined) {
				open = { start: index, end: index, outputs: 0 };
				ranges.push(open);
			}
			open.end = index + 1;
			open.outputs++;
			continue;
		}
		const continues = isIndented && !followsBlank && !boundaryPattern.test(line) && !soundsLikeRule(line);
		if (!continues) open = undefined;
		else if (open) open.end = index + 1;
	}
	const outputs = ranges.reduce((sum, range) => sum + range.outputs, 0);
	return outputs < minOutputLines ? [] : ranges;
}

/** A typed message without the output in it. */
export interface OwnWords {
	/** The message with a note in place of each pasted output: `[12 pasted lines]`. */
	text: string;
	/** Whether a part of the message, or the whole, is pasted output; absent if there is none. */
	pasted?: 'part' | 'whole';
}

/** Returns the user's own words in a typed message; the unchanged message if it has no pasted output. O(text). */
export function readOwnWords(text: string): OwnWords {
	const parts = splitPastedOutput(text);
	if (!parts.some(({ isPasted }) => isPasted)) return { text };
	const notes = parts.map((part) => (part.isPasted ? `[${part.lineCount} pasted lines]` : part.text.trim()));
	return { text: notes.join('\n'), pasted: parts.every(({ isPasted }) => isPasted) ? 'whole' : 'part' };
}
