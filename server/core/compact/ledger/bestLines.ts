import { tuning } from '../tuning.ts';
import { type Coverage, coverSegment } from './coverage.ts';
import type { Ledger } from './ledger.ts';
import { candidatesOf, createPassages, type Passages, placeOf, wordsOf } from './passages.ts';
import { selectSegments } from './select.ts';
import type { Source } from './source.ts';

/** What shortened results may cost. */
export interface LinesOptions {
	/** The lines, taken together, are never more than this, by `count`. */
	budgetTokens: number;
	/** Tokens of a text. */
	count: (text: string) => number;
	/** What each fact is worth, from `factValues`. */
	values: Float32Array;
	/** What stands elsewhere already, from `coverageOf`; the lines that are kept are added to it. */
	covered?: Coverage;
}

/** Stands where lines are missing. */
const gap = '…';
const gapTokens = 2;
/**
 * A tool result shortened to its first and last lines and those that hold the facts most likely to be
 * needed again, in their order, with `…` where lines are missing; head and tail where it holds no facts.
 * The source must have been added to the ledger. Empty where nothing fits.
 */
export function bestLines(ledger: Ledger, source: Source, options: LinesOptions): string {
	return digestResults(ledger, [source], options).get(source.seq) ?? '';
}

/**
 * Several tool results shortened together, so that the room goes where it is worth most and no fact is
 * kept twice: for each, by its `seq`, what `bestLines` would say, the empty text where nothing of it is
 * worth its room. All must have been added to the ledger.
 */
export function digestResults(
	ledger: Ledger,
	results: readonly Source[],
	options: LinesOptions,
): Map<number, string> {
	const { budgetTokens, count, values } = options;
	const covered = options.covered ?? new Float32Array(ledger.facts.count);
	const passages = createPassages(ledger, results);
	const { candidates, groups } = candidatesOf(passages);
	const kept = new Set<number>();
	let room = budgetTokens;
	const take = (segment: number, most: number): boolean => {
		if (kept.has(segment)) return true;
		const tokens = count(wordsOf(passages, segment)) + 1 + gapTokens;
		if (tokens > most) return false;
		room -= tokens;
		kept.add(segment);
		coverSegment(ledger.segments, segment, covered);
		return true;
	};
	const ends = endsOf(groups);
	const mostOfEnds = (budgetTokens * tuning.results.endsShare) / Math.max(1, 2 * ends.length);
	for (const { first, last } of ends) {
		take(candidates[last]!, mostOfEnds);
		take(candidates[first]!, mostOfEnds);
	}
	selectSegments({
		segments: ledger.segments,
		candidates,
		groups,
		groupCost: 0,
		values,
		covered,
		take: (segment) => (take(segment, room) ? 'taken' : 'too large'),
	});
	for (const { first, last } of ends) {
		for (let head = first, tail = last; head <= tail && room > 0; head++, tail--) {
			if (!take(candidates[head]!, room) || !take(candidates[tail]!, room)) break;
		}
	}
	const texts = new Map<number, string>();
	for (const source of results) texts.set(source.seq, '');
	for (const { first, last } of ends) {
		const shown = candidates.slice(first, last + 1);
		texts.set(placeOf(passages, shown[0]!).source.seq, joined(passages, shown, kept));
	}
	return texts;
}

/** The first and the last candidate of each group. */
function endsOf(groups: readonly number[]): { first: number; last: number }[] {
	const ends: { first: number; last: number }[] = [];
	for (let index = 0; index < groups.length; index++) {
		if (index > 0 && groups[index] === groups[index - 1]) ends.at(-1)!.last = index;
		else ends.push({ first: index, last: index });
	}
	return ends;
}

function joined(passages: Passages, segments: readonly number[], kept: ReadonlySet<number>): string {
	const lines: string[] = [];
	let isGap = false;
	for (const segment of segments) {
		if (kept.has(segment)) {
			if (isGap) lines.push(gap);
			lines.push(wordsOf(passages, segment));
		}
		isGap = !kept.has(segment);
	}
	if (lines.length > 0 && isGap) lines.push(gap);
	return lines.join('\n');
}
