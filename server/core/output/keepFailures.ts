import { cutAtGrapheme } from './characterBoundary.ts';
import { headLines, tailLines } from './cut.ts';
import { countLines, utf8Length, wellFormed } from './textSize.ts';
import { fittingNotice, type OutputEnds } from './truncateEnds.ts';
import { type Limits, noticeSize, noticeText, type Truncation } from './truncation.ts';

const headShare = 0.2;
const tailShare = 0.4;
/** Below this many lines and bytes there is no room for more than one end. */
const fewestLines = 10;
const fewestBytes = 500;
const longestLineUnits = 400;

/**
 * The head and the tail of an output with the lines between them that report failures; `[… N lines left
 * out]` stands for what is missing, and the notice is the last line for direction `head`, else the first.
 * Errors go before warnings, the first and the last of them before those between. `undefined` where no line
 * in the middle reports a failure, or where the limits are too small for it.
 */
export function keepFailures(output: string, ends: OutputEnds, limits: Limits): Truncation | undefined {
	const notice = fittingNotice(ends, limits);
	if (notice === undefined) return undefined;
	const room = { bytes: limits.maxBytes - noticeSize(notice) - 1, lines: limits.maxLines - 1 };
	if (room.lines < fewestLines || room.bytes < fewestBytes) return undefined;
	const head = headLines(output, Math.floor(room.bytes * headShare), Math.floor(room.lines * headShare));
	const tail = tailLines(output, Math.floor(room.bytes * tailShare), Math.floor(room.lines * tailShare));
	const from = head.text.length;
	const to = output.length - tail.text.length;
	const found = failureLines(output, from, to, room.lines);
	const left = { bytes: room.bytes - head.bytes - tail.bytes, lines: room.lines - head.lines - tail.lines };
	const chosen = choose(output, found, left, ends.originalLines ?? output.length);
	if (chosen.length === 0) return undefined;
	const middle = assemble(output, from, to, chosen);
	const keptBytes = head.bytes + middle.keptBytes + tail.bytes;
	const said = noticeText({ ...notice, keptBytes });
	const body = head.text + middle.text + tail.text;
	const before = body.endsWith('\n') ? body : `${body}\n`;
	return {
		content: wellFormed(limits.direction === 'head' ? before + said : `${said}\n${body}`),
		truncated: true,
		originalSize: ends.originalSize,
		originalLines: ends.originalLines,
		keptBytes,
		limit: ends.originalSize > limits.maxBytes ? 'bytes' : 'lines',
	};
}

interface ShownLine extends FailureLine {
	/** Ends in `\n`. */
	text: string;
	/** UTF-8 bytes of the text that are of the output. */
	bytes: number;
}

/** Takes lines by importance while each still fits with a mark before it, and a last mark after them all. */
function choose(
	output: string,
	found: readonly FailureLine[],
	room: { bytes: number; lines: number },
	mostLines: number,
): ShownLine[] {
	const markBytes = utf8Length(gapMark(mostLines));
	let bytes = room.bytes - markBytes;
	let lines = room.lines - 1;
	const chosen: ShownLine[] = [];
	for (const line of found) {
		const shown = show(output, line);
		const cost = utf8Length(shown.text) + markBytes;
		if (lines < 2) break;
		if (cost > bytes) continue;
		bytes -= cost;
		lines -= 2;
		chosen.push(shown);
	}
	return chosen.sort((a, b) => a.start - b.start);
}

/** A line as it is, or what stands around the failure where it is long. */
function show(output: string, line: FailureLine): ShownLine {
	if (line.end - line.start <= longestLineUnits) {
		const text = output.slice(line.start, line.end);
		const bytes = utf8Length(text);
		return { ...line, text: text.endsWith('\n') ? text : `${text}\n`, bytes };
	}
	const wanted = Math.max(line.start, line.offset - longestLineUnits / 4);
	const from = cutAtGrapheme(output, wanted, 'before');
	const to = cutAtGrapheme(output, Math.min(line.end, from + longestLineUnits), 'before');
	const text = output.slice(from, to).trimEnd();
	return { ...line, text: `${from > line.start ? '…' : ''}${text}…\n`, bytes: utf8Length(text) };
}

function assemble(output: string, from: number, to: number, chosen: readonly ShownLine[]) {
	const pieces: string[] = [];
	let keptBytes = 0;
	let position = from;
	for (const line of chosen) {
		if (line.start > position) pieces.push(gapMark(countLines(output.slice(position, line.start))));
		pieces.push(line.text);
		keptBytes += line.bytes;
		position = line.end;
	}
	if (to > position) pieces.push(gapMark(countLines(output.slice(position, to))));
	return { text: pieces.join(''), keptBytes };
}

function gapMark(lines: number): string {
	return `[… ${lines} ${lines === 1 ? 'line' : 'lines'} left out]\n`;
}

/** A line that reports a failure. UTF-16 units from the start of the output. */
interface FailureLine {
	start: number;
	/** After its `\n`. */
	end: number;
	/** Where the word stands that tells. */
	offset: number;
	isWarning: boolean;
}

/** Words of failures; the second group are mere warnings. No repetition, so it runs in linear time. */
const failure =
	/(error|exception|\bfail|\bfatal\b|\bpanic|traceback|assert|segmentation fault|\babort|\bnot ok\b|undefined reference|permission denied|no such file|command not found|exit code|exit status|exited with|✗|✕|✖|❌)|(\bwarn|deprecated)/gi;
/** Reports of success that hold such words. */
const none =
	/\b(?:0|no|without) (?:errors?|failures?|failed|failing|exceptions?|warnings?)\b|\b(?:errors?|failures?|failed|exceptions?|warnings?)[:=] ?0\b|\b(?:exit code|exit status|exited with(?: code)?):? 0\b/gi;
const examinedUnits = 1_000;

/**
 * The lines between two places of an output that report failures, by importance: errors before warnings,
 * and by turns the first and the last of each kind. At most `most` of each kind.
 */
function failureLines(output: string, from: number, to: number, most: number): FailureLine[] {
	const errors = endsOf(most);
	const warnings = endsOf(most);
	const pattern = new RegExp(failure);
	pattern.lastIndex = from;
	for (let match = pattern.exec(output); match !== null && match.index < to; match = pattern.exec(output)) {
		const line = lineAround(output, match.index, from);
		const isWarning = match[1] === undefined;
		if (reportsFailure(output, line)) (isWarning ? warnings : errors).add({ ...line, isWarning });
		pattern.lastIndex = line.end;
	}
	return [...errors.byTurns(), ...warnings.byTurns()];
}

function lineAround(output: string, index: number, from: number): Omit<FailureLine, 'isWarning'> {
	const newline = output.indexOf('\n', index);
	const start = index === 0 ? 0 : output.lastIndexOf('\n', index - 1) + 1;
	return { start: Math.max(from, start), end: newline === -1 ? output.length : newline + 1, offset: index };
}

/** Whether a failure is left where the reports that there was none are taken out. */
function reportsFailure(output: string, line: Omit<FailureLine, 'isWarning'>): boolean {
	const start = Math.max(line.start, line.offset - examinedUnits / 2);
	const excerpt = output.slice(start, Math.min(line.end, start + examinedUnits));
	return new RegExp(failure).test(excerpt.replace(none, ''));
}

/** Keeps the first half and the last half of what is added. */
function endsOf(most: number) {
	const half = Math.ceil(most / 2);
	const first: FailureLine[] = [];
	const last: FailureLine[] = [];
	let next = 0;
	return {
		add(line: FailureLine): void {
			if (first.length < half) first.push(line);
			else {
				last[next % half] = line;
				next += 1;
			}
		},
		byTurns(): FailureLine[] {
			const newest = last.toSorted((a, b) => b.start - a.start);
			return first.flatMap((line, index) => (newest[index] ? [line, newest[index]] : [line]));
		},
	};
}
