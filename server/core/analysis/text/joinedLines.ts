/** Joins lines of an output that say little alone. */

import { tuning } from '../../compact/tuning.ts';
import { isScriptHeading } from './outputLines.ts';

/** A line that is a single name, not a row or a sentence. */
const listedNamePattern = /^[^\s,;=|：、。]+$/;
/** Lists with fewer names are shown line by line. */
const minListedNames = 4;
/** Minimum mean number of names in a listing that is in order. Of names without order, every second or third one begins a list. */
const minListingLength = 4;
/** Maximum lines that listings of names are joined into: of several, one line each. */
const maxListedLines = 2;

/** Returns the lines of a result. Joins runs of names, as in a listing of files, to as few lines as possible. */
export function joinListedNames(lines: readonly string[]): string[] {
	const joinedLines: string[] = [];
	for (let start = 0, end = 0; start < lines.length; start = end) {
		while (end < lines.length && listedNamePattern.test(lines[end] ?? '')) end++;
		const names = lines.slice(start, end);
		if (names.length < minListedNames) joinedLines.push(...names);
		else {
			const listings = splitListings(names).map(joinNames);
			const shown = listings.length === 1 ? listings.flat() : listings.map(([line = '']) => line);
			joinedLines.push(...shown.slice(0, maxListedLines));
		}
		if (end < lines.length) joinedLines.push(lines[end++] ?? '');
	}
	return joinedLines;
}

/** Returns names in lists, one for each folder: a heading begins the next one, or a name that comes before the last one in order. */
function splitListings(names: readonly string[]): string[][] {
	const listings: string[][] = [];
	for (const name of names) {
		const before = listings.at(-1)?.at(-1) ?? '';
		const isOutOfOrder = !before.endsWith(':') && comesBefore(name, before);
		if (before === '' || name.endsWith(':') || isOutOfOrder) listings.push([name]);
		else listings.at(-1)?.push(name);
	}
	// Names without order are one list.
	return listings.length * minListingLength > names.length ? [[...names]] : listings;
}

/** Whether a name comes before another in the order of characters and in that of dictionaries. */
function comesBefore(name: string, other: string): boolean {
	const [word, otherWord] = [name, other].map((one) =>
		one.toLowerCase().replace(/^[^\p{L}\p{N}]{1,20}/u, ''),
	);
	return name < other && (word ?? '') < (otherWord ?? '');
}

/** Joins a heading that a script prints, such as `=== a.json`, with the line below it. */
export function joinHeadings(lines: readonly string[]): string[] {
	return lines.flatMap((line, index) => {
		const [before, next] = [lines[index - 1], lines[index + 1]];
		if (isScriptHeading(before) && !isScriptHeading(line)) return [];
		return isScriptHeading(line) && next !== undefined && !isScriptHeading(next)
			? [`${line} | ${next}`]
			: [line];
	});
}

function joinNames(names: readonly string[]): string[] {
	const joinedLines: string[] = [];
	for (const name of names) {
		const last = joinedLines.at(-1);
		const line = `${last}${last?.endsWith(':') ? '' : ' |'} ${name}`;
		if (joinedLines.length === 0 || line.length > tuning.lengths.maxLine) joinedLines.push(name);
		else joinedLines[joinedLines.length - 1] = line;
	}
	return joinedLines;
}
