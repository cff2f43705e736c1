/** Shortens lines of minified code, which nobody reads. */

import { maskSecrets } from './secrets.ts';

/** Shorter lines stay whole. UTF-16 units. */
const minMinifiedLength = 1000;
/** Length at the start of a line that tells whether the line is minified. UTF-16 units. */
const sampleLength = 2000;
/** Length that is kept of a minified line, with the file and line number that a search prints before it. UTF-16 units. */
const keptLength = 160;
/** The start of JSON, which may contain code, and data after it. */
const jsonStartPattern = /^\s{0,20}[[{]/;
/** Signs of minified JavaScript and CSS; JSON has quoted names instead. */
const codeSignPattern =
	/[;{}](?:return|var|let|const|if|for|function|case|throw)\b|=>|&&|\|\||\)\{|[;{}][\w.#-]{1,40}[:{]/g;
/** Minimum number of these signs in 1,000 UTF-16 units of minified code. */
const minSigns = 8;

function isMinified(line: string): boolean {
	if (line.length < minMinifiedLength || jsonStartPattern.test(line)) return false;
	const sample = line.slice(0, sampleLength);
	return (sample.match(codeSignPattern)?.length ?? 0) >= (minSigns * sample.length) / 1000;
}

/** Returns a text with only the start of each line of minified code. O(length). */
export function shortenMinifiedLines(text: string): string {
	if (text.length < minMinifiedLength) return text;
	return text
		.split('\n')
		.map((line) =>
			isMinified(line) ? `${maskSecrets(line.slice(0, sampleLength)).slice(0, keptLength)}…` : line,
		)
		.join('\n');
}
