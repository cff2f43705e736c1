/** Separates users' own words from the output of programs that they pasted into a message. */

import { tuning } from '../../compact/tuning.ts';
import { isStrictRule, soundsLikeRule } from '../text/ruleWords.ts';
import { readExpandedCommand } from './commandTemplates.ts';

/** A part of a message: the user's own words, lines of pasted output, or a command's template. */
export interface MessagePart {
	text: string;
	isPasted: boolean;
	/** Whether the part is a command's template. */
	isTemplate?: boolean;
	/** Number of lines with content. */
	lineCount: number;
}

/** Length of a line's start that is compared with the patterns. UTF-16 units. */
const comparedLength = 300;
/** Minimum number of lines of output in a message with pasted output. */
const minOutputLines = 4;

/** A stack frame in the console of a browser, which has no word before it. */
const consoleFramePattern =
	/^\s*[\w$.()<>[\] *]{1,100} @ \S{1,250}:\d{1,9}(?:Understand this (?:warning|error))?$/;
/** A message in the console of a browser, behind the file and line of the code that printed it: `main.js?v=2:14 Ready`. */
const consoleMessagePattern =
	/^[\w.[\]-]{1,120}(?:\?[\w=.%&-]{1,200})?:\d{1,9} {1,3}\S|^await in \S{1,100}$|^Promise\.\w{1,9}$/;
/** A message in the console of a browser that begins after the user's own words. */
const consoleInLinePattern = /\S +(?=[\w.[\]-]{1,120}\.[cm]?[jt]sx?(?:\?[\w=.%&-]{1,200})?:\d{1,9} {1,3}\S)/;
/** Lines that programs write and no person types. A time without a level may be a schedule, so it does not match. */
const outputPatterns: readonly RegExp[] = [
	// Log lines with a time and a level, as text or JSON.
	/^\s*[[(]?(?:\d{4}-\d\d-\d\d[T ]|[A-Z][a-z]{2} {1,2}\d{1,2} )?\d\d:\d\d:\d\d[\d.,]{0,10}\S{0,8}\s.{0,40}?\b(?:TRACE|DEBUG?|INFO|NOTICE|WARN(?:ING)?|ERROR|FATAL|CRITICAL)\b/,
	/^\s*\{"(?:time|timestamp|ts|@timestamp|level|severity|msg|parentUuid)":.{0,200}"(?:level|severity|msg|message|timestamp|sessionId)":/,
	// Log lines that begin with a process, or with a level in a column of its own.
	/^\(\w{1,40} pid=\d{1,9}\) |^(?:DEBUG|INFO|WARNING|ERROR|CRITICAL): {3,6}\S/,
	// Warnings of Node.js, requests and errors that a server logs.
	/^\(node:\d{1,9}\) |^ ?(?:GET|HEAD|POST|PUT|PATCH|DELETE) \/\S{0,250} \d{3} in [\d.]+ ?m?s\b|^(?:[⨯✖✗] |\[browser\] ).{0,80}Error: /,
	// A request that a browser copies as a command, with an option on each line.
	/^\s*curl ["']https?:\/\/|^\s+(?:-[HbX]|--(?:data(?:-raw|-binary)?|header|cookie|compressed|insecure))(?: |$)/,
	// Stack frames and tracebacks.
	consoleFramePattern,
	/^\s+at \S.{0,250}:\d+(?::\d+)?\)?$|^\s*File "[^"]{1,200}", line \d+|^Traceback \(most recent call last\)|^goroutine \d+ \[/,
	// Test runners, package managers, git.
	/^\s*(?:=== (?:RUN|PAUSE|CONT|NAME) |--- (?:PASS|FAIL|SKIP): )|^(?:ok|FAIL) {0,2}\t\S|^npm (?:ERR!|error|warn) /,
	/^(?:\* )?commit [0-9a-f]{40}\b|^Author: [^<>]{1,100} <[^<>]{1,100}>$|^ \d+ files? changed, |^ (?:create|delete) mode \d{6} |^\[[^\]]{1,60} [0-9a-f]{7,}\] /,
];
/** A line that an agent marks on its screen. Prompts below it, and lines that are indented further, also belong to it. */
const screenMarkPattern = /^\s*[⎿⏺]/;
const promptPattern = /^\s*❯/;
/** Number of columns from the mark of a line on an agent's screen to the line's text. */
const screenTextOffset = 2;
const indentedPattern = /^(?: {2}|\t)/;
/** A line below the screen's last mark that sounds like a rule of the user, but belongs to the agent's answer. */
const reportPattern = /^\s*(?:[-*•]\s+)?(?:you|we|i|it|the|this|that|these|there)\b|[?？]\s*$/i;
/** The start of a diff or of its parts; below, a line inside them. `- a` is left out, because it may be a list item. */
const diffHeadPattern =
	/^(?:diff --git |@@ -\d+(?:,\d+)? \+\d|--- [ab/]\S|\+\+\+ [ab/]\S|index [0-9a-f]{7,}\.\.)/;
const diffLinePattern = /^[+\\]|^-(?! \S)/;
/** The first line of a hunk, with the number of lines that the hunk shows of the new file. */
const hunkPattern = /^@@ -\d+(?:,\d+)? \+\d+(?:,(\d{1,6}))?/;
/** Lines that never belong to output: marks of a block of code, tags, list items. */
const boundaryPattern = /^\s*(?:```|~~~|<\/?[a-z][\w-]*>?|[-*•]\s|\d{1,3}[.)]\s)/;
/** A log line in JSON that begins after the user's own words. */
const logInLinePattern = /\S +(?=\{"(?:time|timestamp|ts|level|msg)":)/;

/** Whether a line belongs to the diff above it, and is not a list item or a rule that the user wrote below the diff. */
function isDiffLine(line: string, isExpected: boolean, followsBlank: boolean): boolean {
	if (diffLinePattern.test(line) || (line.startsWith(' ') && isExpected)) return true;
	return !followsBlank && /^[- ]/.test(line) && !(/^(?:- | )/.test(line) && soundsLikeRule(line));
}

/** Decides line by line whether a text is in a diff. */
class DiffReader {
	private isOpen = false;
	/** Number of lines that the hunk still shows of the new file. */
	private expectedLines = 0;

	has(line: string, followsBlank: boolean): boolean {
		const hunk = hunkPattern.exec(line);
		this.isOpen =
			diffHeadPattern.test(line) ||
			(this.isOpen && (line.trim() === '' || isDiffLine(line, this.expectedLines > 0, followsBlank)));
		if (hunk) this.expectedLines = Number(hunk[1] ?? 1);
		else if (!/^[-\\]/.test(line)) this.expectedLines--;
		return this.isOpen;
	}
}

/** Decides line by line whether a text is in an agent's screen. */
class ScreenReader {
	/** Column at which the text of the last marked line begins; undefined outside of screens. */
	private column: number | undefined;
	private readonly lastMarkIndex: number;

	constructor(lines: readonly string[]) {
		this.lastMarkIndex = lines.findLastIndex((line) => screenMarkPattern.test(line));
	}

	has(line: string, index: number): boolean {
		const column = line.startsWith('\t') ? Number.POSITIVE_INFINITY : line.search(/\S/);
		const isPrompt = this.column !== undefined && promptPattern.test(line);
		if (isPrompt || screenMarkPattern.test(line)) this.column = column + screenTextOffset;
		else if (this.column !== undefined) {
			const isUserRule = index > this.lastMarkIndex && isStrictRule(line) && !reportPattern.test(line);
			if (column < this.column || isUserRule) this.column = undefined;
		}
		return this.column !== undefined;
	}
}

/** Whether a line of a browser's console is a message. A line that sounds like a rule is one only above a stack frame. */
function isConsoleMessage(line: string, next = ''): boolean {
	const isMessage = consoleMessagePattern.test(line.slice(0, comparedLength));
	return isMessage && (!soundsLikeRule(line) || consoleFramePattern.test(next.slice(0, comparedLength)));
}

function isOutputLine(line: string): boolean {
	const start = line.slice(0, comparedLength);
	return outputPatterns.some((pattern) => pattern.test(start));
}

/**
 * Returns the parts of a typed message, in order: one with the whole text if the message is short or has no pasted output.
 * O(text).
 * @param pastedLines lines that are known to be pasted
 */
export function splitPastedOutput(text: string, pastedLines: ReadonlySet<string> = new Set()): MessagePart[] {
	const command = readExpandedCommand(text);
	if (command !== undefined) {
		const template = { ...createPart(command.template.split('\n'), false), isTemplate: true };
		return [...splitPastedOutput(command.input, pastedLines), template].filter((part) => part.text !== '');
	}
	const whole: MessagePart[] = [createPart([text], false)];
	if (text.length <= tuning.lengths.maxVerbatim) return whole;
	const lines = text.split(/\r?\n/).flatMap(separateLog);
	const parts: MessagePart[] = [];
	let from = 0;
	for (const { start, end } of findPastedRanges(lines, pastedLines)) {
		if (start > from) parts.push(createPart(lines.slice(from, start), false));
		parts.push(createPart(lines.slice(start, end), true));
		from = end;
	}
	if (from === 0) return whole;
	if (from < lines.length) parts.push(createPart(lines.slice(from), false));
	return parts.filter(({ lineCount }) => lineCount > 0);
}

/** Returns a line as two if it ends with a log line in JSON, or with a message of a browser's console above its stack frames. */
function separateLog(line: string, index: number, lines: readonly string[]): string[] {
	const isAboveFrame = consoleFramePattern.test(lines[index + 1]?.slice(0, comparedLength) ?? '');
	const inLinePattern = isAboveFrame ? consoleInLinePattern : logInLinePattern;
	const found = isAboveFrame || line.endsWith('}') ? inLinePattern.exec(line) : null;
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
	outputCount: number;
}

/**
 * Returns the ranges of pasted output. Indented lines below an output belong to it, unless a blank line precedes them or one
 * of them sounds like a rule. Any other line is the user's own: it may be a comment on the output.
 */
function findPastedRanges(lines: readonly string[], pastedLines: ReadonlySet<string>): LineRange[] {
	const ranges: LineRange[] = [];
	const screens = new ScreenReader(lines);
	const diffs = new DiffReader();
	const isConsole = lines.some((line) => consoleFramePattern.test(line.slice(0, comparedLength)));
	let openRange: LineRange | undefined;
	let followsBlank = false;
	for (const [index, line] of lines.entries()) {
		const isBlank = line.trim() === '';
		const isDiff = diffs.has(line, followsBlank);
		const isScreen = !isBlank && screens.has(line, index);
		const isIndented = indentedPattern.test(line);
		const continues = isIndented && !followsBlank && !boundaryPattern.test(line) && !soundsLikeRule(line);
		followsBlank = isBlank;
		if (isBlank) continue;
		const isMessage = isConsole && isConsoleMessage(line, lines[index + 1]);
		const isKnown = pastedLines.has(line);
		if (isKnown || isMessage || isDiff || isScreen || isOutputLine(line)) {
			if (openRange === undefined) {
				openRange = { start: index, end: index, outputCount: 0 };
				ranges.push(openRange);
			}
			openRange.end = index + 1;
			openRange.outputCount += isKnown ? minOutputLines : 1;
			continue;
		}
		if (!continues) openRange = undefined;
		else if (openRange) openRange.end = index + 1;
	}
	const outputCount = ranges.reduce((sum, range) => sum + range.outputCount, 0);
	return outputCount < minOutputLines ? [] : ranges;
}

/** A typed message without the output in it. */
export interface OwnWords {
	/** The message with a note in place of each pasted output: `[12 pasted lines]`. */
	text: string;
	/** How much of the message is pasted output; absent if there is none. */
	pasted?: 'part' | 'whole';
}

/**
 * Returns the user's own words in the parts of a typed message; the unchanged message if it has only words of the user, or
 * only a command's template.
 */
export function readOwnWords(
	text: string,
	parts: readonly MessagePart[] = splitPastedOutput(text),
): OwnWords {
	const own = parts.filter(({ isTemplate }) => !isTemplate);
	if (own.length === 0) return { text };
	if (!own.some(({ isPasted }) => isPasted))
		return { text: own.length === parts.length ? text : own.map((part) => part.text).join('\n') };
	const notes = own.map((part) => (part.isPasted ? `[${part.lineCount} pasted lines]` : part.text.trim()));
	return { text: notes.join('\n'), pasted: own.every(({ isPasted }) => isPasted) ? 'whole' : 'part' };
}
