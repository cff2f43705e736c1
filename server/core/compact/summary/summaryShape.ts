/** What stands around a summary's text, and what it says of the turn that it breaks off in. */

import type { Source } from '../ledger/source.ts';

/**
 * How much of a turn is no longer shown whose beginning is summarized and whose end follows; empty if nothing of it is.
 *
 * @param lists messages of the session, each list in order; `turn` the ordinal of the one that the turn began with, `last`
 * that of the last one summarized.
 */
export function turnPrefixPart(lists: readonly (readonly Source[])[], turn: number, last: number): string {
	const own = lists.flatMap((sources) => {
		const before = sources.findLastIndex(({ seq }) => seq <= turn);
		return sources.slice(before + 1).filter(({ seq }) => seq <= last);
	});
	if (own.length === 0) return '';
	const calls = own.reduce((sum, source) => sum + source.calls.length, 0);
	return `## Turn in progress\n Its first ${own.length} messages (${calls} tool calls) are part of this summary; the rest follows.`;
}

/** A summary's text between tags, which nothing in it can close. */
export function withTags(text: string): string {
	const harmless = text.replace(/<(\/?)condensed-summary/gi, '<$1 condensed-summary');
	return `<condensed-summary>\n${harmless}\n</condensed-summary>`;
}
