/** Measures how well text covers facts: a fact among plain words is covered well, a fact in a bare list hardly. */

import type { FactIndex } from '../../analysis/message/factIndex.ts';
import type { Source } from '../../analysis/message/source.ts';
import { TextScanner, type TextSegment } from '../../analysis/text/scan.ts';
import { tuning } from '../tuning.ts';

/** How well each fact is covered by text, 0 to 1, by the number of the fact in the index. */
export type Coverage = Float32Array;

/** Returns the coverage of facts next to `words` plain words, 0 to 1. */
export function computeCoverageByWords(words: number): number {
	const { coverageByWords, proseCoverage } = tuning.facts;
	return coverageByWords[words] ?? (words === coverageByWords.length ? proseCoverage : 1);
}

/** Returns how well messages cover facts. The messages must be in the index. */
export function collectCoverage(factIndex: FactIndex, sources: readonly Source[]): Coverage {
	const coverage = new Float32Array(factIndex.facts.kinds.length);
	for (const { seq } of sources)
		for (const segment of factIndex.entries.get(seq)?.segments ?? []) coverSegment(segment, coverage);
	return coverage;
}

/** Returns a copy of a coverage with space for facts that were added to the index later. */
export function resizeCoverage(coverage: Coverage, { facts }: FactIndex): Coverage {
	const wider = new Float32Array(facts.kinds.length);
	wider.set(coverage);
	return wider;
}

/** Marks facts as covered. Ignores facts that the coverage has no space for. */
export function markCovered(facts: readonly number[], amount: number, coverage: Coverage): void {
	for (const fact of facts)
		if (fact < coverage.length && (coverage[fact] ?? 0) < amount) coverage[fact] = amount;
}

/** Marks the facts of a segment as covered. */
export function coverSegment({ wordCount, facts }: TextSegment, coverage: Coverage): void {
	markCovered(facts, computeCoverageByWords(wordCount), coverage);
}

/** Marks the facts of a text as covered, as if at most `maxWords` plain words were next to each fact. */
export function coverText(factIndex: FactIndex, text: string, coverage: Coverage, maxWords: number): void {
	const scanner = new TextScanner(factIndex.facts, 'plain');
	scanner.scan(text);
	for (const { wordCount, facts } of scanner.segments)
		markCovered(facts, computeCoverageByWords(Math.min(maxWords, wordCount)), coverage);
}
