/** Shortens results to their best lines. */

import type { FactIndex } from '../../analysis/message/factIndex.ts';
import type { Source } from '../../analysis/message/source.ts';
import { cleanLine, removeEscapes } from '../../analysis/text/clean.ts';
import { runToEnd } from '../../slices.ts';
import { coverSegment } from './coverage.ts';
import { listQuotables, measureSegment, QuotableReader } from './quotable.ts';
import { scoreFactSegment } from './rank.ts';
import { selectGreedily } from './select.ts';

/** The budget of a shortened result. */
export interface BestLinesOptions {
	/** Maximum tokens of all lines together, measured by `count`. */
	budgetTokens: number;
	/** Returns the tokens of a text. */
	count: (text: string) => number;
	/** The value of each fact, from `computeFactValues`. */
	values: Float32Array;
}

/** Maximum share of the budget for the first line, and for the last line. Both are chosen before all others. */
const maxEndShare = 0.125;
/** Shorter lines may be repeated: they give a text its structure. UTF-16 units. */
const minRepeatedLength = 20;
/** Text that replaces omitted lines. */
const gap = '…';
const gapTokens = 2;

/**
 * Shortens a tool result to its first and last line and the lines with the facts most likely to be needed again. Keeps
 * the order, puts `…` in place of omitted lines, removes escape codes, and keeps equal lines only once. Without facts,
 * returns head and tail. Empty if nothing fits. The source must be in the index.
 */
export function selectBestLines(
	factIndex: FactIndex,
	source: Source,
	{ budgetTokens, count, values }: BestLinesOptions,
): string {
	const coverage = new Float32Array(factIndex.facts.kinds.length);
	const lines = listQuotables(factIndex, [source]);
	const reader = new QuotableReader();
	/** The chosen lines, by their indexes. */
	const texts = new Map<number, string>();
	const shownLines = new Set<string>();
	let remainingTokens = budgetTokens;
	const take = (index: number, maxTokens = remainingTokens): 'taken' | 'too large' | 'not shown' => {
		const line = lines[index];
		if (line === undefined || texts.has(index)) return 'not shown';
		const text = removeShownLines(removeEscapes(reader.getText(line)), shownLines);
		if (text === '' || text === gap) return 'not shown';
		const tokens = count(text) + 1 + gapTokens;
		if (tokens > maxTokens) return 'too large';
		remainingTokens -= tokens;
		texts.set(index, text);
		for (const shown of text.split('\n')) shownLines.add(removePositions(shown));
		coverSegment(line.segment, coverage);
		return 'taken';
	};
	const maxEndTokens = budgetTokens * maxEndShare;
	take(lines.length - 1, maxEndTokens);
	take(0, maxEndTokens);
	runToEnd(
		selectGreedily({
			length: lines.length,
			getGroup: () => 0,
			computeKey(index) {
				const segment = lines[index]?.segment;
				return segment ? scoreFactSegment(segment, values, coverage) / measureSegment(segment) : 0;
			},
			minKey: 0,
			tryTake: (index) => take(index),
		}),
	);
	for (let head = 0, tail = lines.length - 1; head <= tail && remainingTokens > 0; head++, tail--)
		if (take(head) === 'too large' || take(tail) === 'too large') break;
	return joinWithGaps(texts, lines.length);
}

/** Removes colours and file positions from a line, so that repeated errors and stack frames become equal. */
function removePositions(line: string): string {
	return cleanLine(line).replace(/:\d{1,7}(?::\d{1,7})?\b/g, '');
}

/** Returns a text without the lines that are already shown, except short ones; with a mark for each run of them. */
function removeShownLines(text: string, shown: ReadonlySet<string>): string {
	const kept: string[] = [];
	for (const line of text.split('\n')) {
		if (line.length < minRepeatedLength || !shown.has(removePositions(line))) kept.push(line);
		else if (kept.at(-1) !== gap) kept.push(gap);
	}
	return kept.join('\n');
}

/** Joins some of `count` texts, by their indexes, with a mark for each run of omitted ones. */
function joinWithGaps(texts: ReadonlyMap<number, string>, count: number): string {
	const lines: string[] = [];
	if (texts.size === 0) return '';
	for (let index = 0; index < count; index++) {
		for (const line of texts.get(index)?.split('\n') ?? [gap])
			if (line !== gap || lines.at(-1) !== gap) lines.push(line);
	}
	return lines.join('\n');
}
