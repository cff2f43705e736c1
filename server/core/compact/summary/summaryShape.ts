/** The tags around a summary's text, and its note on an unfinished turn. */

import type { Source } from '../../analysis/source.ts';

/**
 * Describes how much of a turn is hidden if its beginning is summarized and its end follows; empty if nothing is.
 * @param lists messages of the session, each list in order
 * @param turn ordinal of the message that began the turn
 * @param last ordinal of the last summarized message
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

/** Wraps a summary's text in tags, which nothing in it can close. */
export function withTags(text: string): string {
	const harmless = text.replace(/<(\/?)condensed-summary/gi, '<$1 condensed-summary');
	return `<condensed-summary>\n${harmless}\n</condensed-summary>`;
}
