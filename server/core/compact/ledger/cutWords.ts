/** The beginning of texts that are quoted in part: no word is parted where one ends near enough. */

import { graphemeBoundary, wordBoundary } from '../../measure/text/boundaries.ts';

/** Share of what may be kept that is given up for the sake of a whole word. */
const wordBoundarySlack = 0.2;

/** The first words of a text, at most `most` UTF-16 units. */
export function firstWords(text: string, most: number): string {
	if (text.length <= most) return text;
	return text.slice(
		0,
		wordBoundary(text, Math.floor(most * (1 - wordBoundarySlack)), most) ?? graphemeBoundary(text, most),
	);
}
