import type { TruncateToolOutputParams, TruncateToolOutputResult } from '../../protocol/output.ts';
import { Failure } from '../failure.ts';
import { type TextEnd, takeHeadChars, takeHeadLines, takeTailChars, takeTailLines } from './textEnd.ts';
import { countUtf8Bytes, type TextSize } from './textSize.ts';

/** Default maximum of a tool output, in UTF-8 bytes. */
const defaultMaxOutputBytes = 51_200;
/** Default maximum of a tool output, in lines. */
const defaultMaxOutputLines = 2_000;
/** Default share of the head if both ends are kept. */
const defaultHeadRatio = 0.5;

/** Limits of an output, and the content of its notice. */
export interface OutputLimits {
	/** Maximum UTF-8 bytes of the content, including the notice. */
	maxBytes: number;
	/** Maximum lines of the content, including the notice. */
	maxLines: number;
	direction: NonNullable<TruncateToolOutputParams['direction']>;
	/** Share of the limits that the head takes if both ends are kept. */
	headRatio: number;
	/** Path of the file with the whole output; the notice names it. */
	savedPath?: string;
}

/** Limits that a caller sets; absent limits have defaults. */
export type LimitOptions = Partial<OutputLimits>;

/** An output within its limits, with the sizes of the original and of the kept part. */
export type Truncation = Omit<TruncateToolOutputResult, 'savedPath'>;

/** Fills in defaults: 51,200 bytes, 2,000 lines, the tail, equal ends. Throws `InvalidParams`. */
export function resolveLimits(options: LimitOptions): OutputLimits {
	return {
		maxBytes: requireSize('maxBytes', options.maxBytes ?? defaultMaxOutputBytes),
		maxLines: requireSize('maxLines', options.maxLines ?? defaultMaxOutputLines),
		direction: options.direction ?? 'tail',
		headRatio: requireShare('headRatio', options.headRatio ?? defaultHeadRatio),
		savedPath: options.savedPath,
	};
}

function requireShare(field: string, value: number): number {
	if (value >= 0 && value <= 1) return value;
	throw new Failure('InvalidParams', `${field}: expected a number from 0 to 1, got ${value}`);
}

function requireSize(field: string, value: number): number {
	if (Number.isSafeInteger(value) && value >= 0) return value;
	throw new Failure('InvalidParams', `${field}: expected a whole number from 0 up, got ${value}`);
}

/** Sizes and texts of a truncation notice. */
export interface TruncationNotice {
	/** UTF-8 bytes of the original output. */
	originalSize: number;
	/** UTF-8 bytes of the output that were kept. */
	keptBytes: number;
	savedPath?: string;
	/** A remark after the notice, in its own brackets. */
	remark?: string;
}

/** Formats the line that replaces the removed part of an output. */
export function createTruncationNotice(notice: TruncationNotice): string {
	const savedNote =
		notice.savedPath === undefined
			? ''
			: `. Full output saved to: ${notice.savedPath.replace(/[\r\n]/g, ' ')}`;
	const remark = notice.remark === undefined ? '' : ` [${notice.remark}]`;
	const sizes = `from ${notice.originalSize} bytes to ${notice.keptBytes} bytes`;
	return `[Output truncated ${sizes}${savedNote}]${remark}`;
}

/** Returns the UTF-8 bytes of a notice: the maximum for any number of kept bytes up to `keptBytes`. */
export function countNoticeBytes(notice: TruncationNotice): number {
	return countUtf8Bytes(createTruncationNotice(notice));
}

/** An output that exceeds its limits, of which perhaps only the ends are known. */
export interface OutputEnds {
	/** The start of the output: at least one byte more than the limit allows, or all of it. */
	head: string;
	/** The end of the output, as far as it is known. */
	tail: string;
	/** UTF-8 bytes of the whole output. */
	originalSize: number;
	/** Lines of the whole output; absent if unknown. */
	originalLines?: number;
}

interface KeptEnds {
	head?: TextEnd;
	tail?: TextEnd;
}

/** Truncates an output to its limits, from its ends alone. */
export function truncateEnds(ends: OutputEnds, limits: OutputLimits): Truncation {
	const notice = findFittingNotice(ends, limits);
	if (notice === undefined) return truncateWithoutNotice(ends, limits);
	const keptEnds = keepEnds(ends, subtractNotice(notice, limits), limits);
	const cutLine = findIncompleteLine(keptEnds);
	if (cutLine === undefined) return composeContent(ends, limits, keptEnds, notice);
	const noticeWithRemark = {
		...notice,
		remark: cutLine === 'first' ? 'First line too large' : 'Last line too large',
	};
	const newEnds = keepEnds(ends, subtractNotice(noticeWithRemark, limits), limits);
	if (findIncompleteLine(newEnds) !== cutLine) return composeContent(ends, limits, keptEnds, notice);
	return composeContent(ends, limits, newEnds, noticeWithRemark);
}

/** Returns the size of a binary output instead of its content. */
export function describeBinary(ends: OutputEnds, limits: OutputLimits): Truncation {
	const sizes = { originalSize: ends.originalSize, keptBytes: 0 };
	const forms: TruncationNotice[] = [
		{ ...sizes, savedPath: limits.savedPath, remark: 'Binary output is not shown' },
		{ ...sizes, savedPath: limits.savedPath },
		sizes,
	];
	const notice = forms.find((form) => limits.maxLines > 0 && countNoticeBytes(form) <= limits.maxBytes);
	return createTruncation(ends, limits, notice === undefined ? '' : createTruncationNotice(notice));
}

/**
 * Returns the longest notice within the limits; undefined if none fits.
 *
 * The notice is measured with the largest number of kept bytes that it may state, so that the final notice fits, too.
 */
export function findFittingNotice(ends: OutputEnds, limits: OutputLimits): TruncationNotice | undefined {
	if (limits.maxLines < 1) return undefined;
	const sizes = { originalSize: ends.originalSize, keptBytes: Math.min(ends.originalSize, limits.maxBytes) };
	const forms: TruncationNotice[] =
		limits.savedPath === undefined ? [sizes] : [{ ...sizes, savedPath: limits.savedPath }, sizes];
	return forms.find((form) => countNoticeBytes(form) <= limits.maxBytes);
}

/** Returns the limits that remain for the output itself after the notice. */
function subtractNotice(notice: TruncationNotice, limits: OutputLimits): TextSize {
	const separators = limits.direction === 'both' ? 2 : 1;
	return {
		bytes: Math.max(0, limits.maxBytes - countNoticeBytes(notice) - separators),
		lines: limits.maxLines - 1,
	};
}

function truncateWithoutNotice(ends: OutputEnds, limits: OutputLimits): Truncation {
	const budget = { bytes: limits.maxBytes, lines: limits.maxLines };
	const keptEnds: KeptEnds =
		limits.direction === 'head' ? { head: keepHead(ends, budget) } : { tail: keepTail(ends, budget) };
	return createTruncation(ends, limits, keptEnds.head?.text ?? keptEnds.tail?.text ?? '', keptEnds);
}

function keepEnds(ends: OutputEnds, budget: TextSize, limits: OutputLimits): KeptEnds {
	switch (limits.direction) {
		case 'head':
			return { head: keepHead(ends, budget) };
		case 'tail':
			return { tail: keepTail(ends, budget) };
		case 'both':
			return keepBoth(ends, budget, limits.headRatio);
	}
}

function keepHead(ends: OutputEnds, budget: TextSize): TextEnd {
	const lines = takeHeadLines(ends.head, budget.bytes, budget.lines);
	return lines.lines > 0 || budget.lines < 1 ? lines : takeHeadChars(ends.head, budget.bytes);
}

function keepTail(ends: OutputEnds, budget: TextSize): TextEnd {
	const lines = takeTailLines(ends.tail, budget.bytes, budget.lines);
	return lines.lines > 0 || budget.lines < 1 ? lines : takeTailChars(ends.tail, budget.bytes);
}

/**
 * Keeps the head within its share of the budget, then the tail, then more of the head if the tail left space. If only one
 * end fits, keeps the last line, in which a command usually says how it ended.
 */
function keepBoth(ends: OutputEnds, budget: TextSize, headRatio: number): KeptEnds {
	const headBudget = {
		bytes: Math.floor(budget.bytes * headRatio),
		lines: Math.floor(budget.lines * headRatio),
	};
	const firstLineFits = takeHeadLines(ends.head, budget.bytes, 1).lines > 0;
	if (!firstLineFits && headBudget.lines > 0) {
		const head = takeHeadChars(ends.head, headBudget.bytes);
		return { head, tail: keepTail(ends, subtractEnd(budget, head)) };
	}
	const head = takeHeadLines(ends.head, headBudget.bytes, headBudget.lines);
	const remainingBudget = subtractEnd(budget, head);
	let tail = takeTailLines(ends.tail, remainingBudget.bytes, remainingBudget.lines);
	if (tail.lines === 0) tail = takeTailLines(ends.tail, budget.bytes, Math.min(1, budget.lines));
	if (tail.lines === 0) return { head, tail: keepTail(ends, remainingBudget) };
	const extendedBudget = subtractEnd(budget, tail);
	return { head: takeHeadLines(ends.head, extendedBudget.bytes, extendedBudget.lines), tail };
}

function subtractEnd(budget: TextSize, end: TextEnd): TextSize {
	return { bytes: budget.bytes - end.bytes, lines: budget.lines - end.lines };
}

/** Returns which line is incomplete, if any. */
function findIncompleteLine(keptEnds: KeptEnds): 'first' | 'last' | undefined {
	if (keptEnds.head?.isPartial) return 'first';
	return keptEnds.tail?.isPartial ? 'last' : undefined;
}

function composeContent(
	ends: OutputEnds,
	limits: OutputLimits,
	keptEnds: KeptEnds,
	form: TruncationNotice,
): Truncation {
	const head = keptEnds.head?.text ?? '';
	const tail = keptEnds.tail?.text ?? '';
	const notice = createTruncationNotice({ ...form, keptBytes: countKeptBytes(keptEnds) });
	const headWithLineEnd = head === '' || head.endsWith('\n') ? head : `${head}\n`;
	const tailAfterNotice = tail === '' ? '' : `\n${tail}`;
	return createTruncation(ends, limits, headWithLineEnd + notice + tailAfterNotice, keptEnds);
}

function countKeptBytes(keptEnds: KeptEnds): number {
	return (keptEnds.head?.bytes ?? 0) + (keptEnds.tail?.bytes ?? 0);
}

/** Returns the result for an output that exceeds its limits; `content` may contain lone surrogates. */
export function createTruncation(
	ends: OutputEnds,
	limits: OutputLimits,
	content: string,
	keptEnds: KeptEnds = {},
): Truncation {
	return {
		content: content.toWellFormed(),
		truncated: true,
		originalSize: ends.originalSize,
		originalLines: ends.originalLines,
		keptBytes: countKeptBytes(keptEnds),
		limit: findExceededLimit(ends, limits, keptEnds),
		cutLine: findIncompleteLine(keptEnds),
	};
}

/** Returns the limit that the output exceeds; if it exceeds both, the limit at which the kept part ends. */
function findExceededLimit(ends: OutputEnds, limits: OutputLimits, keptEnds: KeptEnds): Truncation['limit'] {
	const areLinesWithinLimit = ends.originalLines !== undefined && ends.originalLines <= limits.maxLines;
	if (ends.originalSize <= limits.maxBytes) return areLinesWithinLimit ? undefined : 'lines';
	if (areLinesWithinLimit) return 'bytes';
	return keptEnds.tail?.limit ?? keptEnds.head?.limit ?? 'bytes';
}
