import { findCharacterBoundary } from './characterBoundary.ts';
import { takeHeadLines, takeTailLines } from './textEnd.ts';
import { countLines, countUtf8Bytes } from './textSize.ts';
import {
	countNoticeBytes,
	createTruncation,
	createTruncationNotice,
	findFittingNotice,
	type OutputEnds,
	type OutputLimits,
	type Truncation,
} from './truncation.ts';

const headShare = 0.2;
const tailShare = 0.4;
/** Minimum limit in lines. A smaller limit leaves space for only one end. */
const minLines = 10;
/** Minimum limit in bytes. A smaller limit leaves space for only one end. */
const minBytes = 500;
const maxLineUnits = 400;

/**
 * Keeps the head and tail of an output, and the lines between them that report failures. `[… N lines left out]`
 * replaces each gap; the notice is the last line for direction `head`, otherwise the first. Errors take precedence
 * over warnings and, within each kind, the first and last lines over the others. Undefined if no line in the middle
 * reports a failure, or if the limits are too small.
 */
export function keepFailures(output: string, ends: OutputEnds, limits: OutputLimits): Truncation | undefined {
	const notice = findFittingNotice(ends, limits);
	if (notice === undefined) return undefined;
	const budget = { bytes: limits.maxBytes - countNoticeBytes(notice) - 1, lines: limits.maxLines - 1 };
	if (budget.lines < minLines || budget.bytes < minBytes) return undefined;
	const scaleBudget = (share: number) =>
		[Math.floor(budget.bytes * share), Math.floor(budget.lines * share)] as const;
	const head = takeHeadLines(output, ...scaleBudget(headShare));
	const tail = takeTailLines(output, ...scaleBudget(tailShare));
	const from = head.text.length;
	const to = output.length - tail.text.length;
	const failureLines = findFailureLines(output, from, to, budget.lines);
	const middleBudget = {
		bytes: budget.bytes - head.bytes - tail.bytes,
		lines: budget.lines - head.lines - tail.lines,
	};
	const chosenLines = chooseLines(output, failureLines, middleBudget, ends.originalLines ?? output.length);
	if (chosenLines.length === 0) return undefined;
	const middle = joinShownLines(output, from, to, chosenLines);
	const keptBytes = head.bytes + middle.keptBytes + tail.bytes;
	const noticeLine = createTruncationNotice({ ...notice, keptBytes });
	const body = head.text + middle.text + tail.text;
	const bodyWithLineEnd = body.endsWith('\n') ? body : `${body}\n`;
	const content = limits.direction === 'head' ? bodyWithLineEnd + noticeLine : `${noticeLine}\n${body}`;
	return { ...createTruncation(ends, limits, content), keptBytes };
}

interface ShownLine extends FailureLine {
	/** The text of the line, including its `\n`. */
	text: string;
	/** UTF-8 bytes of the text that come from the output. */
	bytes: number;
}

/** Chooses lines in the given order, as many as fit with a gap mark before each line and one after the last. */
function chooseLines(
	output: string,
	failureLines: readonly FailureLine[],
	budget: { bytes: number; lines: number },
	maxGapLines: number,
): ShownLine[] {
	const markBytes = countUtf8Bytes(createGapMark(maxGapLines));
	let bytes = budget.bytes - markBytes;
	let lines = budget.lines - 1;
	const chosenLines: ShownLine[] = [];
	for (const line of failureLines) {
		const excerpt = excerptLine(output, line);
		const cost = countUtf8Bytes(excerpt.text) + markBytes;
		if (lines < 2) break;
		if (cost > bytes) continue;
		bytes -= cost;
		lines -= 2;
		chosenLines.push(excerpt);
	}
	return chosenLines.sort((a, b) => a.start - b.start);
}

/** Returns a line unchanged, or the part around the failure if the line is long. */
function excerptLine(output: string, line: FailureLine): ShownLine {
	if (line.end - line.start <= maxLineUnits) {
		const text = output.slice(line.start, line.end);
		const bytes = countUtf8Bytes(text);
		return { ...line, text: text.endsWith('\n') ? text : `${text}\n`, bytes };
	}
	const idealStart = Math.max(line.start, line.offset - maxLineUnits / 4);
	const from = findCharacterBoundary(output, idealStart, 'before');
	const to = findCharacterBoundary(output, Math.min(line.end, from + maxLineUnits), 'before');
	const text = output.slice(from, to).trimEnd();
	return { ...line, text: `${from > line.start ? '…' : ''}${text}…\n`, bytes: countUtf8Bytes(text) };
}

function joinShownLines(output: string, from: number, to: number, chosenLines: readonly ShownLine[]) {
	const texts: string[] = [];
	let keptBytes = 0;
	let position = from;
	for (const line of chosenLines) {
		if (line.start > position) texts.push(createGapMark(countLines(output.slice(position, line.start))));
		texts.push(line.text);
		keptBytes += line.bytes;
		position = line.end;
	}
	if (to > position) texts.push(createGapMark(countLines(output.slice(position, to))));
	return { text: texts.join(''), keptBytes };
}

function createGapMark(lines: number): string {
	return `[… ${lines} ${lines === 1 ? 'line' : 'lines'} left out]\n`;
}

/** A line that reports a failure. UTF-16 units from the start of the output. */
interface FailureLine {
	start: number;
	/** Position after its `\n`. */
	end: number;
	/** Position of the word that reports the failure. */
	offset: number;
	isWarning: boolean;
}

/** Matches words of failures (group 1) and warnings (group 2). Without repetition, so a search is linear. */
const failurePattern =
	/(error|exception|\bfail|\bfatal\b|\bpanic|traceback|assert|segmentation fault|\babort|\bnot ok\b|undefined reference|permission denied|no such file|command not found|exit code|exit status|exited with|✗|✕|✖|❌)|(\bwarn|deprecated)/gi;
/** Matches reports of success that contain words of failures, such as `0 errors`. */
const successPattern =
	/\b(?:0|no|without) (?:errors?|failures?|failed|failing|exceptions?|warnings?)\b|\b(?:errors?|failures?|failed|exceptions?|warnings?)[:=] ?0\b|\b(?:exit code|exit status|exited with(?: code)?):? 0\b/gi;
/** Length of the part around a failure word that decides whether a line reports a failure. UTF-16 units. */
const examinedUnits = 1_000;

/**
 * Returns the lines in a range of an output that report failures, most important first: errors before warnings,
 * alternating between the first and the last lines of each kind. At most `max` lines of each kind.
 */
function findFailureLines(output: string, from: number, to: number, maxLines: number): FailureLine[] {
	const errors = createEndsCollector(maxLines);
	const warnings = createEndsCollector(maxLines);
	const pattern = new RegExp(failurePattern);
	pattern.lastIndex = from;
	for (let match = pattern.exec(output); match !== null && match.index < to; match = pattern.exec(output)) {
		const line = findLineAround(output, match.index, from);
		const isWarning = match[1] === undefined;
		if (reportsFailure(output, line)) (isWarning ? warnings : errors).add({ ...line, isWarning });
		pattern.lastIndex = line.end;
	}
	return [...errors.listAlternating(), ...warnings.listAlternating()];
}

function findLineAround(output: string, index: number, from: number): Omit<FailureLine, 'isWarning'> {
	const newline = output.indexOf('\n', index);
	const start = index === 0 ? 0 : output.lastIndexOf('\n', index - 1) + 1;
	return { start: Math.max(from, start), end: newline === -1 ? output.length : newline + 1, offset: index };
}

/** Whether a line reports a failure after its reports of success are removed. */
function reportsFailure(output: string, line: Omit<FailureLine, 'isWarning'>): boolean {
	const start = Math.max(line.start, line.offset - examinedUnits / 2);
	const excerpt = output.slice(start, Math.min(line.end, start + examinedUnits));
	return new RegExp(failurePattern).test(excerpt.replace(successPattern, ''));
}

/** Returns a collector that keeps the first and the last `max / 2` of the added lines. */
function createEndsCollector(max: number) {
	const half = Math.ceil(max / 2);
	const heads: FailureLine[] = [];
	const tails: FailureLine[] = [];
	let addedCount = 0;
	return {
		add(line: FailureLine): void {
			if (heads.length < half) heads.push(line);
			else {
				tails[addedCount % half] = line;
				addedCount += 1;
			}
		},
		listAlternating(): FailureLine[] {
			const reversed = tails.toSorted((a, b) => b.start - a.start);
			return heads.flatMap((line, index) => (reversed[index] ? [line, reversed[index]] : [line]));
		},
	};
}
