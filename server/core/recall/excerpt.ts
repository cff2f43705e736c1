import type { Query } from './rank.ts';

/** UTF-16 units of an excerpt. */
const longest = 300;

/** Of these, so many at most stand before what was found. */
const before = 100;

/** The part of a text in which the most of a query stands together; the whole of a short one. */
export function excerptOf(text: string, { words, phrase }: Query): string {
	if (text.length <= longest) return text.toWellFormed();
	const small = text.toLowerCase();
	const places = [phrase, ...words].map((word) => small.indexOf(word)).filter((index) => index >= 0);
	const held = (start: number): number =>
		words.filter((word) => small.slice(start, start + longest).includes(word)).length;
	const starts = places.map((index) => {
		const line = text.lastIndexOf('\n', index - 1) + 1;
		return Math.min(text.length - longest, Math.max(line, index - before));
	});
	const [start = 0] = starts.map((index) => Math.max(0, index)).sort((a, b) => held(b) - held(a));
	const cut = text.slice(start, start + longest);
	return `${start > 0 ? '…' : ''}${cut}${start + longest < text.length ? '…' : ''}`.toWellFormed();
}
