import { type Span, span, type Tone } from './line.ts';

/** A part of a bar. */
export interface BarSegment {
	size: number;
	tone: Tone;
}

const fullSign = '█';
const emptySign = '░';
const markSign = '┊';
const eighthSigns = ['', '▏', '▎', '▍', '▌', '▋', '▊', '▉'];

/** Number of filled cells: at least one if there is anything, and not all unless it is full. */
function filledCells(ratio: number, width: number): number {
	if (ratio >= 1) return width;
	if (ratio <= 0) return 0;
	return Math.min(width - 1, Math.max(1, Math.round(ratio * width)));
}

/** The empty cells, with a mark where compaction would begin. */
function emptyCells(filled: number, width: number, mark: number): Span[] {
	const index = Math.floor(mark * width);
	if (index < filled || index >= width) return [span(emptySign.repeat(width - filled), 'gray')];
	return [
		span(emptySign.repeat(index - filled), 'gray'),
		span(markSign, 'yellow'),
		span(emptySign.repeat(width - index - 1), 'gray'),
	];
}

/**
 * A bar whose segments fill it in proportion to the whole.
 * @param whole the size of a full bar; anything larger leaves it full
 * @param mark the ratio at which an empty cell shows a mark
 */
export function renderStackedBar(
	segments: readonly BarSegment[],
	whole: number,
	width: number,
	mark = 1,
): Span[] {
	const total = segments.reduce((sum, { size }) => sum + size, 0);
	const filled = filledCells(whole > 0 ? total / whole : 1, width);
	const spans: Span[] = [];
	let sum = 0;
	let drawn = 0;
	for (const { size, tone } of segments) {
		sum += size;
		const end = total > 0 ? Math.round((sum / total) * filled) : 0;
		if (end > drawn) spans.push(span(fullSign.repeat(end - drawn), tone));
		drawn = end;
	}
	return [...spans, ...emptyCells(filled, width, mark)];
}

/** A small bar in steps of an eighth of a column; anything above 0 shows at least the thinnest step. */
export function shareBar(part: number, total: number, width: number, tone: Tone): Span {
	const ratio = total > 0 ? Math.min(1, part / total) : 0;
	const eighths = ratio > 0 ? Math.max(1, Math.round(ratio * width * 8)) : 0;
	return span(fullSign.repeat(Math.floor(eighths / 8)) + eighthSigns[eighths % 8], tone);
}
