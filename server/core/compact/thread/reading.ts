/** What compactions read of a session, kept from one to the next. */

import type { Seq } from '../../history/record.ts';
import { createLedger, type Ledger } from '../ledger/ledger.ts';
import type { Source } from '../ledger/source.ts';
import { createFound, type Found } from './found.ts';

/**
 * UTF-16 units of the newest messages that a compaction reads, and of older ones of users: of a longer session the
 * oldest results and answers are not looked into, so that the time it takes has a bound.
 */
export const reach = { newest: 2_000_000, users: 400_000 };

/**
 * What was read is kept up to this (UTF-16 units), and then begun anew: what one compaction reads of what it replaces and
 * of what stays, and what was read ahead of a larger tail. Kept up to less, each compaction that leaves a large tail
 * would read everything again.
 */
export const mostKept = 2.5 * (reach.newest + reach.users);

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
