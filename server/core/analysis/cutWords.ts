/** Truncates quoted texts at the end of a word, if one is near enough. */

import { graphemeBoundary, wordBoundary } from '../measure/text/boundaries.ts';

/** Share of the allowed length that may be given up to end at a whole word. */
const wordBoundarySlack = 0.2;

/** Returns the first words of a text, at most `most` UTF-16 units. */
export function firstWords(text: string, most: number): string {
	if (text.length <= most) return text;
	return text.slice(
		0,
		wordBoundary(text, Math.floor(most * (1 - wordBoundarySlack)), most) ?? graphemeBoundary(text, most),
	);
}
