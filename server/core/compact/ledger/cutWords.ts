/** The beginning of texts that are quoted in part: no word is parted where one ends near enough. */

import { graphemeBoundary, wordBoundary } from '../../measure/text/boundaries.ts';
import { leeway } from './tuning.ts';

/** The first words of a text, at most `most` UTF-16 units. */
export function firstWords(text: string, most: number): string {
	if (text.length <= most) return text;
	return text.slice(
		0,
		wordBoundary(text, Math.floor(most * (1 - leeway)), most) ?? graphemeBoundary(text, most),
	);
}
