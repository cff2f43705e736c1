/** Analyses messages before a compaction needs them. */

import { runToEnd } from '../slices.ts';
import { type AnalysisCache, getFileAccess, getWordHashes } from './analyses.ts';
import { collectCandidates } from './candidates.ts';
import type { FactIndex } from './factIndex.ts';
import { collectLineKeys } from './lineKeys.ts';
import { collectOutcomes } from './outcomes.ts';
import { findFacts } from './scan.ts';
import type { Source } from './source.ts';
import { findUndoneWork } from './userStatements.ts';

/**
 * Adds to `cache` the analyses that a session's narrative needs. The messages must be consecutive and in order.
 * Skips messages that were analysed before.
 */
export function warmAnalyses(sources: readonly Source[], cache: AnalysisCache, factIndex: FactIndex): void {
	const { lineKeys } = cache;
	for (const source of sources) {
		if (!lineKeys.has(source)) lineKeys.set(source, collectLineKeys(source));
		getWordHashes(cache, source);
		for (const call of source.calls) getFileAccess(cache, call);
	}
	const outcomes = runToEnd(collectOutcomes(sources, cache));
	for (const { candidate } of runToEnd(
		collectCandidates(sources, { outcomes, undone: findUndoneWork(sources), cache }),
	))
		candidate.facts ??= findFacts(factIndex.facts, candidate.text);
}
