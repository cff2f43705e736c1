/** What compactions read of a session, kept from one to the next. */

import type { Seq } from '../../history/record.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { Source } from '../ledger/source.ts';
import type { Found } from './found.ts';

/** What was read of a session so far: facts by the ledger, and the texts within reach. Rows never change. */
export interface Reading {
	readonly ledger: Ledger;
	readonly known: Map<Seq, Source>;
	readonly found: Found;
	/** UTF-16 units of what is known. */
	chars: number;
}

/** Who keeps what was read, from one compaction to the next. */
export interface ReadingKeeper {
	reading?: Reading;
}
