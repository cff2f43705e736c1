/** Adds lines of contextd to a text file of the user, between two marker comments, and removes them. */

const beginMarker = '# >>> contextd >>>';
const endMarker = '# <<< contextd <<<';
const beginLine = `${beginMarker} "contextd setup --undo" removes these lines`;

/** A range of a text, in UTF-16 units. */
interface TextRange {
	from: number;
	to: number;
}

/** Returns lines with their markers, each with a line end. */
export function markLines(lines: readonly string[]): string {
	return [beginLine, ...lines, endMarker].map((line) => `${line}\n`).join('');
}

/**
 * Returns the range of the marked lines, including their markers; undefined if there are none, `broken` if one marker
 * is missing.
 */
export function findMarkedLines(text: string): TextRange | 'broken' | undefined {
	const from = findMarkerLine(text, beginMarker, 0);
	const end = findMarkerLine(text, endMarker, from ?? 0);
	if (from === undefined) return end === undefined ? undefined : 'broken';
	if (end === undefined) return 'broken';
	const next = findMarkerLine(text, beginMarker, from + beginMarker.length);
	if (next !== undefined && next < end) return 'broken';
	const lineEnd = text.indexOf('\n', end);
	return { from, to: lineEnd < 0 ? text.length : lineEnd + 1 };
}

/** Returns the position of the first line after `after` that begins with a marker. */
function findMarkerLine(text: string, marker: string, after: number): number | undefined {
	for (let at = text.indexOf(marker, after); at >= 0; at = text.indexOf(marker, at + 1)) {
		if (at === 0 || text[at - 1] === '\n') return at;
	}
	return undefined;
}

/** Returns whether a text needs a line end before lines can be appended. */
export function needsLineEnd(text: string): boolean {
	return text !== '' && !text.endsWith('\n');
}

/** Returns the text with marked lines, which replace earlier ones or are added at the end. */
export function putMarkedLines(text: string, markedText: string): string {
	const range = findMarkedLines(text);
	if (typeof range === 'object') return text.slice(0, range.from) + markedText + text.slice(range.to);
	return `${text}${needsLineEnd(text) ? '\n' : ''}${markedText}`;
}

/**
 * Returns the text without marked lines; unchanged if there are none, or if a marker is missing.
 * @param lineEndAdded whether setup added the line end before its lines; it stays if other lines follow
 */
export function removeMarkedLines(text: string, lineEndAdded: boolean): string {
	const range = findMarkedLines(text);
	if (typeof range !== 'object') return text;
	const before = text.slice(0, range.from);
	const after = text.slice(range.to);
	return lineEndAdded && after === '' && before.endsWith('\n') ? before.slice(0, -1) : before + after;
}
