import { type Cut, headCharacters, headLines, tailCharacters, tailLines } from './cut.ts';
import { type TextSize, wellFormed } from './textSize.ts';
import { type Limits, type Notice, noticeSize, noticeText, type Truncation } from './truncation.ts';

/** An output that is over its limits, as far as its ends are known. */
export interface OutputEnds {
	/** The start: the whole output, or at least one byte more of it than the limit holds. */
	head: string;
	/** The end, likewise. */
	tail: string;
	/** UTF-8 bytes of the whole. */
	originalSize: number;
	/** Absent where nobody counted. */
	originalLines?: number;
}

interface Kept {
	head?: Cut;
	tail?: Cut;
}

/** Cuts an output that is over its limits down to them, from its ends alone. */
export function truncateEnds(ends: OutputEnds, limits: Limits): Truncation {
	const notice = fittingNotice(ends, limits);
	if (notice === undefined) return withoutNotice(ends, limits);
	const kept = keep(ends, roomBeside(notice, limits), limits);
	const cutLine = cutLineOf(kept);
	if (cutLine === undefined) return compose(ends, limits, kept, notice);
	const remarked = {
		...notice,
		remark: cutLine === 'first' ? 'First line too large' : 'Last line too large',
	};
	const remarkedKept = keep(ends, roomBeside(remarked, limits), limits);
	if (cutLineOf(remarkedKept) !== cutLine) return compose(ends, limits, kept, notice);
	return compose(ends, limits, remarkedKept, remarked);
}

/** Says how much binary output there is instead of showing it. */
export function describeBinary(ends: OutputEnds, limits: Limits): Truncation {
	const sizes = { originalSize: ends.originalSize, keptBytes: 0 };
	const forms: Notice[] = [
		{ ...sizes, savedPath: limits.savedPath, remark: 'Binary output is not shown' },
		{ ...sizes, savedPath: limits.savedPath },
		sizes,
	];
	const notice = forms.find((form) => limits.maxLines > 0 && noticeSize(form) <= limits.maxBytes);
	return truncation(ends, limits, notice === undefined ? '' : noticeText(notice), {});
}

/** The fullest notice that the limits hold, sized for the largest number that it may have to name. */
export function fittingNotice(ends: OutputEnds, limits: Limits): Notice | undefined {
	if (limits.maxLines < 1) return undefined;
	const plain = { originalSize: ends.originalSize, keptBytes: Math.min(ends.originalSize, limits.maxBytes) };
	const forms: Notice[] =
		limits.savedPath === undefined ? [plain] : [{ ...plain, savedPath: limits.savedPath }, plain];
	return forms.find((form) => noticeSize(form) <= limits.maxBytes);
}

/** What is left for the output itself once the notice has its place. */
function roomBeside(notice: Notice, limits: Limits): TextSize {
	const separators = limits.direction === 'both' ? 2 : 1;
	return {
		bytes: Math.max(0, limits.maxBytes - noticeSize(notice) - separators),
		lines: limits.maxLines - 1,
	};
}

function withoutNotice(ends: OutputEnds, limits: Limits): Truncation {
	const room = { bytes: limits.maxBytes, lines: limits.maxLines };
	const kept: Kept =
		limits.direction === 'head' ? { head: keepHead(ends, room) } : { tail: keepTail(ends, room) };
	return truncation(ends, limits, kept.head?.text ?? kept.tail?.text ?? '', kept);
}

function keep(ends: OutputEnds, room: TextSize, limits: Limits): Kept {
	switch (limits.direction) {
		case 'head':
			return { head: keepHead(ends, room) };
		case 'tail':
			return { tail: keepTail(ends, room) };
		case 'both':
			return keepBoth(ends, room, limits.headRatio);
	}
}

function keepHead(ends: OutputEnds, room: TextSize): Cut {
	const lines = headLines(ends.head, room.bytes, room.lines);
	return lines.lines > 0 || room.lines < 1 ? lines : headCharacters(ends.head, room.bytes);
}

function keepTail(ends: OutputEnds, room: TextSize): Cut {
	const lines = tailLines(ends.tail, room.bytes, room.lines);
	return lines.lines > 0 || room.lines < 1 ? lines : tailCharacters(ends.tail, room.bytes);
}

/**
 * A share for the head, the rest for the tail, and what the tail leaves for the head again. The last line
 * comes before the head where both do not fit, for that is where a command says how it ended.
 */
function keepBoth(ends: OutputEnds, room: TextSize, headRatio: number): Kept {
	const first = { bytes: Math.floor(room.bytes * headRatio), lines: Math.floor(room.lines * headRatio) };
	const firstLineFits = headLines(ends.head, room.bytes, 1).lines > 0;
	if (!firstLineFits && first.lines > 0) {
		const head = headCharacters(ends.head, first.bytes);
		return { head, tail: keepTail(ends, roomBesideCut(room, head)) };
	}
	const head = headLines(ends.head, first.bytes, first.lines);
	const rest = roomBesideCut(room, head);
	const tail = firstWithLines(tailLines(ends.tail, rest.bytes, rest.lines), () =>
		tailLines(ends.tail, room.bytes, Math.min(1, room.lines)),
	);
	if (tail.lines === 0) return { head, tail: keepTail(ends, rest) };
	const left = roomBesideCut(room, tail);
	return { head: headLines(ends.head, left.bytes, left.lines), tail };
}

function roomBesideCut(room: TextSize, cut: Cut): TextSize {
	return { bytes: room.bytes - cut.bytes, lines: room.lines - cut.lines };
}

function firstWithLines(preferred: Cut, otherwise: () => Cut): Cut {
	return preferred.lines > 0 ? preferred : otherwise();
}

/** The line of which only a part is there, if any. */
function cutLineOf(kept: Kept): 'first' | 'last' | undefined {
	if (kept.head?.partial) return 'first';
	return kept.tail?.partial ? 'last' : undefined;
}

function compose(ends: OutputEnds, limits: Limits, kept: Kept, form: Notice): Truncation {
	const head = kept.head?.text ?? '';
	const tail = kept.tail?.text ?? '';
	const notice = noticeText({ ...form, keptBytes: keptBytes(kept) });
	const before = head === '' || head.endsWith('\n') ? head : `${head}\n`;
	const after = tail === '' ? '' : `\n${tail}`;
	return truncation(ends, limits, before + notice + after, kept);
}

function keptBytes(kept: Kept): number {
	return (kept.head?.bytes ?? 0) + (kept.tail?.bytes ?? 0);
}

function truncation(ends: OutputEnds, limits: Limits, content: string, kept: Kept): Truncation {
	return {
		content: wellFormed(content),
		truncated: true,
		originalSize: ends.originalSize,
		originalLines: ends.originalLines,
		keptBytes: keptBytes(kept),
		limit: limitHit(ends, limits, kept),
		cutLine: cutLineOf(kept),
	};
}

/** The limit that the output is over; where it is over both, the one that ended what was kept. */
function limitHit(ends: OutputEnds, limits: Limits, kept: Kept): Truncation['limit'] {
	const fewLines = ends.originalLines !== undefined && ends.originalLines <= limits.maxLines;
	if (ends.originalSize <= limits.maxBytes) return fewLines ? undefined : 'lines';
	if (fewLines) return 'bytes';
	return kept.tail?.limit ?? kept.head?.limit ?? 'bytes';
}
