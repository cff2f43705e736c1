/** What a summary says of the turn that it breaks off in. */

import type { Source } from './ledger/source.ts';

/**
 * How much of a turn is not shown any more whose beginning is summarized and whose end follows.
 *
 * @param sources messages of the session, in order; `turn` the ordinal of the one that the turn began with, `last`
 * that of the last one summarized.
 */
export function turnPrefixPart(sources: readonly Source[], turn: number, last: number): string {
	const own = sources.filter((source) => source.seq > turn && source.seq <= last);
	const calls = own.reduce((sum, source) => sum + source.calls.length, 0);
	return `## Turn in progress\n Its first ${own.length} messages (${calls} tool calls) are part of this summary; the rest follows.`;
}
