/** The beginning and the end of texts that are quoted in part: no word is parted where one ends near enough. */

import { graphemeBoundary, wordBoundary } from '../../measure/text/boundaries.ts';
import { cutAtGrapheme } from '../../output/characterBoundary.ts';

/** Share of what may be kept that is given up for the sake of a whole word. */
const leeway = 0.2;

/** The first words of a text, at most `most` UTF-16 units. */
export function firstWords(text: string, most: number): string {
	if (text.length <= most) return text;
	return text.slice(
		0,
		wordBoundary(text, Math.floor(most * (1 - leeway)), most) ?? graphemeBoundary(text, most),
	);
}

/** The last words of a text, at most `most` UTF-16 units. */
export function finalWords(text: string, most: number): string {
	if (text.length <= most) return text;
	const start = text.length - most;
	const space = /\s/g;
	// What begins right behind a space is whole already.
	space.lastIndex = start - 1;
	const found = space.exec(text)?.index ?? text.length;
	return text.slice(found < start + most * leeway ? found + 1 : cutAtGrapheme(text, start, 'after'));
}
