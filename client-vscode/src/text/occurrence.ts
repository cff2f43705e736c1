/** Finds where a text contains the words of a search. */

/** A range of a text, in UTF-16 units. */
export interface TextRange {
	start: number;
	end: number;
}

/** Maximum number of words of a query that are searched for. The daemon has the same limit. */
const maxWords = 32;

function findIgnoringCase(text: string, phrase: string): TextRange | undefined {
	const lower = text.toLowerCase();
	const start = lower.indexOf(phrase.toLowerCase());
	if (start < 0) return undefined;
	// A few characters become longer in lower case, which moves all later positions.
	if (lower.length !== text.length) return { start: 0, end: text.length };
	return { start, end: start + phrase.length };
}

/**
 * Returns where a text contains the whole query, or else the longest word of the query that the text contains. Ignores
 * case. Undefined if the text contains no word of the query.
 */
export function findOccurrence(query: string, text: string): TextRange | undefined {
	const phrase = query.trim();
	if (phrase === '') return undefined;
	const words = phrase.split(/\s+/, maxWords).sort((a, b) => b.length - a.length);
	for (const candidate of [phrase, ...words]) {
		const range = findIgnoringCase(text, candidate);
		if (range) return range;
	}
	return undefined;
}

/** Removes the ellipses and half characters where the daemon truncated an excerpt. */
function removeEllipses(excerpt: string): string {
	return excerpt.replace(/^…?\uFFFD?/, '').replace(/\uFFFD?…?$/, '');
}

/**
 * Returns the range of a document that a search found: the query inside the excerpt. If the document does not contain
 * the excerpt, the first occurrence of the query; undefined if it does not occur. Line ends may differ.
 */
export function findMatchRange(document: string, excerpt: string, query: string): TextRange | undefined {
	const lineEnd = document.includes('\r\n') ? '\r\n' : '\n';
	const passage = removeEllipses(excerpt).replace(/\r\n|\r|\n/g, lineEnd);
	const start = document.indexOf(passage);
	if (start < 0) return findOccurrence(query, document);
	const match = findOccurrence(query, passage) ?? { start: 0, end: passage.length };
	return { start: start + match.start, end: start + match.end };
}

/** Maximum UTF-16 units before the match in a line of a list, so that the match is visible. */
const maxLeadingUnits = 30;

/** Returns an excerpt as one line that begins shortly before the match. */
export function createLineExcerpt(excerpt: string, query: string): string {
	const line = excerpt.replace(/\s+/g, ' ').trim();
	const start = (findOccurrence(query, line)?.start ?? 0) - maxLeadingUnits;
	if (start <= 1) return line;
	const wordStart = line.indexOf(' ', start) + 1;
	const from = wordStart > 0 && wordStart <= start + maxLeadingUnits ? wordStart : start;
	return `…${line.slice(from).toWellFormed()}`;
}
