/** Computes a summary synchronously, instead of in steps between which other tasks run. */

import type { FactIndex } from '../../server/core/analysis/message/factIndex.ts';
import type { Source } from '../../server/core/analysis/message/source.ts';
import {
	type ExtractedSummary,
	type SummaryOptions,
	writeExtract,
} from '../../server/core/compact/summary/summary.ts';
import { runToEnd } from '../../server/core/slices.ts';

/** Returns the result of `writeExtract`. */
export function extractSummary(
	factIndex: FactIndex,
	sources: readonly Source[],
	options: SummaryOptions,
): ExtractedSummary {
	return runToEnd(writeExtract(factIndex, sources, options));
}
