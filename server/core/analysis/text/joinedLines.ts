/** Joins lines of an output that say little alone. */

import { tuning } from '../../compact/tuning.ts';
import { isScriptHeading } from './outputLines.ts';

/** A line that is a single name, not a row or a sentence. */
const listedNamePattern = /^[^\s,;=|：、。]+$/;
/** Lists with fewer names are shown line by line. */
const minListedNames = 4;
/** Maximum lines that a listing of names is joined into. */
const maxListedLines = 2;

/** Returns the lines of a result. Joins runs of names, as in a listing of files, to as few lines as possible. */
export function joinListedNames(lines: readonly string[]): string[] {
	const joinedLines: string[] = [];
	for (let start = 0, end = 0; start < lines.length; start = end) {
		while (end < lines.length && listedNamePattern.test(lines[end] ?? '')) end++;
		const names = lines.slice(start, end);
		if (names.length < minListedNames) joinedLines.push(...names);
		else joinedLines.push(...joinNames(names).slice(0, maxListedLines));
		if (end < lines.length) joinedLines.push(lines[end++] ?? '');
	}
	return joinedLines;
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
		const line = `${joinedLines.at(-1)} | ${name}`;
		if (joinedLines.length === 0 || line.length > tuning.lengths.maxLine) joinedLines.push(name);
		else joinedLines[joinedLines.length - 1] = line;
	}
	return joinedLines;
}
