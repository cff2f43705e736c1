/** What compactions have read of a session, cached from one to the next. */

import type { Seq } from '../../history/record.ts';
import { createFactIndex, type FactIndex } from '../ledger/ledger.ts';
import type { Source } from '../ledger/source.ts';
import { type AnalysisCache, createFound } from './found.ts';

/** The cached facts and texts of a session. Rows never change. */
export interface Reading {
	readonly ledger: FactIndex;
	/** By ordinal. A summary or marker is stored under the first row that it replaces. */
	readonly known: Map<Seq, Source>;
	readonly found: AnalysisCache;
	/** UTF-16 units of all texts in `known`. */
	chars: number;
}

/** Returns a reading of nothing. */
export function emptyReading(): Reading {
	return { ledger: createFactIndex(), known: new Map(), found: createFound(), chars: 0 };
}
