import { headCharacters, headLines, type TextEnd, tailCharacters, tailLines } from './cut.ts';
import { replaceLoneSurrogates, type TextSize } from './textSize.ts';
import { type Limits, noticeSize, noticeText, type Truncation, type TruncationNotice } from './truncation.ts';

/** An output that exceeds its limits, as far as its ends are known. */
export interface OutputEnds {
	/** The start: the whole output, or at least one byte more than the limit allows. */
	head: string;
	/** The end of the output, as far as it is known. */
	tail: string;
	/** UTF-8 bytes of the whole output. */
	originalSize: number;
	/** Lines of the whole output; absent if unknown. */
	originalLines?: number;
}

interface Kept {
	head?: TextEnd;
	tail?: TextEnd;
}

/** Truncates an output to its limits, from its ends alone. */
export function truncateEnds(ends: OutputEnds, limits: Limits): Truncation {
	const notice = findFittingNotice(ends, limits);
	if (notice === undefined) return withoutNotice(ends, limits);
	const kept = keepEnds(ends, budgetAfterNotice(notice, limits), limits);
	const cutLine = incompleteLine(kept);
	if (cutLine === undefined) return composeContent(ends, limits, kept, notice);
	const remarked = {
		...notice,
		remark: cutLine === 'first' ? 'First line too large' : 'Last line too large',
	};
	const remarkedKept = keepEnds(ends, budgetAfterNotice(remarked, limits), limits);
	if (incompleteLine(remarkedKept) !== cutLine) return composeContent(ends, limits, kept, notice);
	return composeContent(ends, limits, remarkedKept, remarked);
}

/** Describes how much binary output there is, instead of showing it. */
export function describeBinary(ends: OutputEnds, limits: Limits): Truncation {
	const sizes = { originalSize: ends.originalSize, keptBytes: 0 };
	const forms: TruncationNotice[] = [
		{ ...sizes, savedPath: limits.savedPath, remark: 'Binary output is not shown' },
		{ ...sizes, savedPath: limits.savedPath },
		sizes,
	];
	const notice = forms.find((form) => limits.maxLines > 0 && noticeSize(form) <= limits.maxBytes);
	return createTruncation(ends, limits, notice === undefined ? '' : noticeText(notice), {});
}

/** The longest notice within the limits, sized for the largest number that it may contain. */
export function findFittingNotice(ends: OutputEnds, limits: Limits): TruncationNotice | undefined {
	if (limits.maxLines < 1) return undefined;
	const plain = { originalSize: ends.originalSize, keptBytes: Math.min(ends.originalSize, limits.maxBytes) };
	const forms: TruncationNotice[] =
		limits.savedPath === undefined ? [plain] : [{ ...plain, savedPath: limits.savedPath }, plain];
	return forms.find((form) => noticeSize(form) <= limits.maxBytes);
}

/** The limits that remain for the output itself after the notice. */
function budgetAfterNotice(notice: TruncationNotice, limits: Limits): TextSize {
	const separators = limits.direction === 'both' ? 2 : 1;
	return {
		bytes: Math.max(0, limits.maxBytes - noticeSize(notice) - separators),
		lines: limits.maxLines - 1,
	};
}

function withoutNotice(ends: OutputEnds, limits: Limits): Truncation {
	const budget = { bytes: limits.maxBytes, lines: limits.maxLines };
	const kept: Kept =
		limits.direction === 'head' ? { head: keepHead(ends, budget) } : { tail: keepTail(ends, budget) };
	return createTruncation(ends, limits, kept.head?.text ?? kept.tail?.text ?? '', kept);
}

function keepEnds(ends: OutputEnds, budget: TextSize, limits: Limits): Kept {
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
	const lines = headLines(ends.head, budget.bytes, budget.lines);
	return lines.lines > 0 || budget.lines < 1 ? lines : headCharacters(ends.head, budget.bytes);
}

function keepTail(ends: OutputEnds, budget: TextSize): TextEnd {
	const lines = tailLines(ends.tail, budget.bytes, budget.lines);
	return lines.lines > 0 || budget.lines < 1 ? lines : tailCharacters(ends.tail, budget.bytes);
}

/**
 * Keeps the head within its share of the budget, then the tail, then more of the head if the tail left space. If only
 * one of them fits, the last line takes precedence over the head, because there a command says how it ended.
 */
function keepBoth(ends: OutputEnds, budget: TextSize, headRatio: number): Kept {
	const first = { bytes: Math.floor(budget.bytes * headRatio), lines: Math.floor(budget.lines * headRatio) };
	const firstLineFits = headLines(ends.head, budget.bytes, 1).lines > 0;
	if (!firstLineFits && first.lines > 0) {
		const head = headCharacters(ends.head, first.bytes);
		return { head, tail: keepTail(ends, budgetAfter(budget, head)) };
	}
	const head = headLines(ends.head, first.bytes, first.lines);
	const rest = budgetAfter(budget, head);
	const tail = preferLines(tailLines(ends.tail, rest.bytes, rest.lines), () =>
		tailLines(ends.tail, budget.bytes, Math.min(1, budget.lines)),
	);
	if (tail.lines === 0) return { head, tail: keepTail(ends, rest) };
	const left = budgetAfter(budget, tail);
	return { head: headLines(ends.head, left.bytes, left.lines), tail };
}

function budgetAfter(budget: TextSize, cut: TextEnd): TextSize {
	return { bytes: budget.bytes - cut.bytes, lines: budget.lines - cut.lines };
}

function preferLines(preferred: TextEnd, otherwise: () => TextEnd): TextEnd {
	return preferred.lines > 0 ? preferred : otherwise();
}

/** The line that is incomplete, if any. */
function incompleteLine(kept: Kept): 'first' | 'last' | undefined {
	if (kept.head?.partial) return 'first';
	return kept.tail?.partial ? 'last' : undefined;
}

function composeContent(ends: OutputEnds, limits: Limits, kept: Kept, form: TruncationNotice): Truncation {
	const head = kept.head?.text ?? '';
	const tail = kept.tail?.text ?? '';
	const notice = noticeText({ ...form, keptBytes: keptBytes(kept) });
	const before = head === '' || head.endsWith('\n') ? head : `${head}\n`;
	const after = tail === '' ? '' : `\n${tail}`;
	return createTruncation(ends, limits, before + notice + after, kept);
}

function keptBytes(kept: Kept): number {
	return (kept.head?.bytes ?? 0) + (kept.tail?.bytes ?? 0);
}

function createTruncation(ends: OutputEnds, limits: Limits, content: string, kept: Kept): Truncation {
	return {
		content: replaceLoneSurrogates(content),
		truncated: true,
		originalSize: ends.originalSize,
		originalLines: ends.originalLines,
		keptBytes: keptBytes(kept),
		limit: limitHit(ends, limits, kept),
		cutLine: incompleteLine(kept),
	};
}

/** The limit that the output exceeds. If it exceeds both limits, the one at which the kept part ends. */
function limitHit(ends: OutputEnds, limits: Limits, kept: Kept): Truncation['limit'] {
	const fewLines = ends.originalLines !== undefined && ends.originalLines <= limits.maxLines;
	if (ends.originalSize <= limits.maxBytes) return fewLines ? undefined : 'lines';
	if (fewLines) return 'bytes';
	return kept.tail?.limit ?? kept.head?.limit ?? 'bytes';
}
