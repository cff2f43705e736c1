/** Analyses messages before a compaction needs them. */

import { runToEnd } from '../slices.ts';
import { type AnalysisCache, cachedFileAccess, foundWords } from './analyses.ts';
import { candidateSteps } from './candidates.ts';
import type { FactIndex } from './factIndex.ts';
import { lineKeysOf } from './lineKeys.ts';
import { outcomeSteps } from './outcomes.ts';
import { factsIn } from './scan.ts';
import type { Source } from './source.ts';
import { undoneWork } from './userWords.ts';

/**
 * Adds the analyses that the narrative of a session is made from to `found`. The messages are neighbours, in order;
 * those that were analysed before are skipped.
 */
export function warmAnalyses(sources: readonly Source[], found: AnalysisCache, factIndex: FactIndex): void {
	const { lineKeys } = found;
	for (const source of sources) {
		if (!lineKeys.has(source)) lineKeys.set(source, lineKeysOf(source));
		foundWords(found, source);
		for (const call of source.calls) cachedFileAccess(found, call);
	}
	const outcomes = runToEnd(outcomeSteps(sources, found));
	for (const { candidate } of runToEnd(
		candidateSteps(sources, { outcomes, undone: undoneWork(sources), found }),
	))
		candidate.facts ??= factsIn(factIndex.facts, candidate.text);
}
