/** What compactions read of a session, kept from one to the next. */

import type { Seq } from '../../history/record.ts';
import { createLedger, type Ledger } from '../ledger/ledger.ts';
import type { Source } from '../ledger/source.ts';
import { createFound, type Found } from './found.ts';

/** What was read of a session so far: facts by the ledger, and the texts within reach. Rows never change. */
export interface Reading {
	readonly ledger: Ledger;
	/** By ordinal; where a summary or marker was read, it stands in the place of the first row that it is shown for. */
	readonly known: Map<Seq, Source>;
	readonly found: Found;
	/** UTF-16 units of what is known. */
	chars: number;
}

/** Nothing was read yet. */
export function emptyReading(): Reading {
	return { ledger: createLedger(), known: new Map(), found: createFound(), chars: 0 };
}
