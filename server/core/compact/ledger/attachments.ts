/** What an editor put into a user's message beside the words that the user typed: files, selections, outputs. */

/** Names of elements that hold such a thing, whole or in part. */
const holderNames =
	/attach|file|document|context|selecti|snippet|code|terminal|output|stdout|stderr|diff|page|result|reminder|environment|editor|log/i;
/** Attributes that say where something came from. */
const originAttribute = /\s(?:path|uri|url|href|src|source|name|filename)\s*=/i;
const openingTag = /<([a-z][\w-]{0,60})((?:\s[^<>]{0,1000})?)>/gi;

/**
 * A text without the elements (`<file path="a">…</file>`) that hold attachments. An element that is never closed
 * is prose, and so is one in the middle of a line that ends on it.
 */
export function withoutAttachments(text: string): string {
	const pieces: string[] = [];
	const neverClosed = new Set<string>();
	let from = 0;
	openingTag.lastIndex = 0;
	for (let found = openingTag.exec(text); found !== null; found = openingTag.exec(text)) {
		const [opening, name = '', attributes = ''] = found;
		if (neverClosed.has(name) || !(holderNames.test(name) || originAttribute.test(attributes))) continue;
		const closing = `</${name}>`;
		const close = text.indexOf(closing, found.index + opening.length);
		if (close < 0) {
			neverClosed.add(name);
			continue;
		}
		if (isInline(text, found.index, close)) continue;
		pieces.push(text.slice(from, found.index));
		from = close + closing.length;
		openingTag.lastIndex = from;
	}
	return [...pieces, text.slice(from)].join('\n');
}

function isInline(text: string, open: number, close: number): boolean {
	const lineStart = text.lastIndexOf('\n', open - 1) + 1;
	const startsLine = open === 0 || text.slice(lineStart, open).trim() === '';
	return !startsLine && !text.slice(open, close).includes('\n');
}
