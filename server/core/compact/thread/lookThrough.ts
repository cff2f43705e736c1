/** Looking messages through before a compaction asks for what is in them. */

import { finish } from '../../slices.ts';
import type { Source } from '../ledger/source.ts';
import { type Found, foundAccess, foundWords } from './found.ts';
import { lineKeysOf } from './lineKeys.ts';
import { outcomeSteps } from './outcomes.ts';
import { findFacts } from './partColumns.ts';
import { pieceSteps } from './pieces.ts';
import { undoneWork } from './userWords.ts';

/**
 * Adds to what was found whatever the thread of a session is told from. The messages are neighbours, in order; what
 * is known of some of them already is not looked for again. `factsIn`: finds facts by the numbers of the ledger that
 * belongs to what was found.
 */
export function lookThrough(
	sources: readonly Source[],
	found: Found,
	factsIn: (text: string) => readonly number[],
): void {
	const { lineKeys } = found;
	for (const source of sources) {
		if (!lineKeys.has(source)) lineKeys.set(source, lineKeysOf(source));
		foundWords(found, source);
		for (const call of source.calls) foundAccess(found, call);
	}
	const outcomes = finish(outcomeSteps(sources, found));
	const { parts } = finish(pieceSteps(sources, outcomes, undoneWork(sources), found));
	for (const part of parts) findFacts(found.columns, part, factsIn);
}
