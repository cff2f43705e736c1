import { type Span, span, type Tone } from './line.ts';

/** One part of a bar, with its own colour. */
export interface BarSegment {
	size: number;
	tone: Tone;
}

const fullSign = '█';
const emptySign = '░';
const markSign = '┊';
const eighthSigns = ['', '▏', '▎', '▍', '▌', '▋', '▊', '▉'];

/** Returns the number of filled cells: at least one if the ratio is above 0, and all only if it is at least 1. */
function countFilledCells(ratio: number, width: number): number {
	if (ratio >= 1) return width;
	if (ratio <= 0) return 0;
	return Math.min(width - 1, Math.max(1, Math.round(ratio * width)));
}

/** Returns the empty cells, with a mark where compaction would begin. */
function renderEmptyCells(filled: number, width: number, mark: number): Span[] {
	const index = Math.floor(mark * width);
	if (index < filled || index >= width) return [span(emptySign.repeat(width - filled), 'gray')];
	return [
		span(emptySign.repeat(index - filled), 'gray'),
		span(markSign, 'yellow'),
		span(emptySign.repeat(width - index - 1), 'gray'),
	];
}

/**
 * Renders a bar of coloured segments, each in proportion to its share of `capacity`.
 * @param capacity the size of a full bar; a larger sum fills the bar, too
 * @param mark the ratio at which an empty cell shows a mark
 */
export function renderStackedBar(
	segments: readonly BarSegment[],
	capacity: number,
	width: number,
	mark = 1,
): Span[] {
	const total = segments.reduce((sum, { size }) => sum + size, 0);
	const filled = countFilledCells(capacity > 0 ? total / capacity : 1, width);
	const spans: Span[] = [];
	let passedSize = 0;
	let drawnCells = 0;
	for (const { size, tone } of segments) {
		passedSize += size;
		const end = total > 0 ? Math.round((passedSize / total) * filled) : 0;
		if (end > drawnCells) spans.push(span(fullSign.repeat(end - drawnCells), tone));
		drawnCells = end;
	}
	return [...spans, ...renderEmptyCells(filled, width, mark)];
}

/** Renders a small bar in steps of an eighth of a column; any share above 0 shows at least one step. */
export function renderShareBar(part: number, total: number, width: number, tone: Tone): Span {
	const ratio = total > 0 ? Math.min(1, part / total) : 0;
	const eighths = ratio > 0 ? Math.max(1, Math.round(ratio * width * 8)) : 0;
	return span(fullSign.repeat(Math.floor(eighths / 8)) + eighthSigns[eighths % 8], tone);
}

/** Returns the vertical bar for a share from 0 to 1, one column wide. */
export function chooseBarLevel(share: number): string {
	return '▁▂▃▄▅▆▇█'.charAt(Math.max(0, Math.min(7, Math.floor(share * 8))));
}
