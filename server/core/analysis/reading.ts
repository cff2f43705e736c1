/** What compactions have read of a session, cached from one to the next. */

import type { Seq } from '../history/record.ts';
import { createFactIndex, type FactIndex } from './factIndex.ts';
import type { Source } from './source.ts';
import { type AnalysisCache, createAnalysisCache } from './analyses.ts';

/** The cached facts and texts of a session. Rows never change. */
export interface Reading {
	readonly factIndex: FactIndex;
	/** By ordinal. A summary or marker is stored under the first row that it replaces. */
	readonly known: Map<Seq, Source>;
	readonly found: AnalysisCache;
	/** UTF-16 units of all texts in `known`. */
	chars: number;
}

/** Returns a reading of nothing. */
export function emptyReading(): Reading {
	return { factIndex: createFactIndex(), known: new Map(), found: createAnalysisCache(), chars: 0 };
}
