import type { Coverage } from './coverage.ts';
import type { Ledger } from './ledger.ts';
import { candidatesOf, createPassages, wordsOf } from './passages.ts';
import { selectSegments } from './select.ts';
import type { Source } from './source.ts';

/** What a shortened result may cost. */
export interface LinesOptions {
	/** The lines are never more than this, by `count`. */
	budgetTokens: number;
	/** Tokens of a text. */
	count: (text: string) => number;
	/** What each fact is worth, from `factValues`. */
	values: Float32Array;
	/** What stands elsewhere already; the lines that are kept are added to it. */
	covered?: Coverage;
}

/** Tokens of a line with a mark where lines are missing. */
const GAP = '…';
const GAP_TOKENS = 2;
/** Share of the room that the first and the last lines may take before the best ones. */
const ENDS = 0.25;

/**
 * A tool result shortened to its first and last lines and those that hold the facts most likely to be
 * needed again, in their order, with `…` where lines are missing. The source must have been added to the
 * ledger. Empty where nothing fits.
 */
export function bestLines(ledger: Ledger, source: Source, options: LinesOptions): string {
	const { budgetTokens, count, values } = options;
	const passages = createPassages(ledger, [source]);
	const { candidates, groups } = candidatesOf(passages);
	if (candidates.length === 0) return '';
	const kept = new Set<number>();
	let room = budgetTokens;
	const take = (segment: number, most: number): boolean => {
		if (kept.has(segment)) return true;
		const tokens = count(wordsOf(passages, segment)) + 1 + GAP_TOKENS;
		if (tokens > most) return false;
		room -= tokens;
		kept.add(segment);
		return true;
	};
	const ends = budgetTokens * ENDS;
	take(candidates.at(-1)!, ends / 2);
	take(candidates[0]!, ends / 2);
	selectSegments({
		segments: ledger.segments,
		candidates,
		groups,
		groupCost: 0,
		values,
		covered: options.covered ?? new Float32Array(ledger.facts.count),
		take: (segment) => take(segment, room),
	});
	for (let at = 0; at < candidates.length && room > 0; at++) {
		const isHeadFull = !take(candidates[at]!, room);
		const isTailFull = !take(candidates[candidates.length - 1 - at]!, room);
		if (isHeadFull || isTailFull) break;
	}
	const lines: string[] = [];
	let last = candidates[0]! - 1;
	for (const segment of [...kept].sort((a, b) => a - b)) {
		if (segment !== last + 1) lines.push(GAP);
		lines.push(wordsOf(passages, segment));
		last = segment;
	}
	if (last !== candidates.at(-1)) lines.push(GAP);
	return kept.size === 0 ? '' : lines.join('\n');
}
