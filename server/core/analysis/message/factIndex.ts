/** Indexes the facts of a session: which message contains which fact, and who wrote it. */

import { type FactNumbers, TextScanner, type TextSegment } from '../text/scan.ts';
import { listSourceTexts, type Source } from './source.ts';

/** Who wrote a segment. */
export type Author = 'user' | 'prose' | 'call' | 'result' | 'system';

/** The facts of one source. */
export interface FactEntry {
	segments: readonly TextSegment[];
	/** The distinct facts of the message's text. */
	ownFacts: readonly number[];
	/** The distinct facts of the message's calls. */
	callFacts: readonly number[];
	/** Who wrote the message's text. */
	author: Author;
}

/** Facts of all added sources. Stores no texts, so it can stay in memory while the session is open. */
export interface FactIndex {
	facts: FactNumbers;
	/** The facts of each message, by its ordinal. */
	entries: Map<number, FactEntry>;
}

/** Returns an empty index. */
export function createFactIndex(): FactIndex {
	return { facts: { numbers: new Map(), kinds: [] }, entries: new Map() };
}

/** Adds a source, unless it was added before. Reads only head and tail of texts above `maxLength` UTF-16 units. Linear. */
export function addSource(factIndex: FactIndex, source: Source, maxLength = Number.POSITIVE_INFINITY): void {
	if (factIndex.entries.has(source.seq)) return;
	const form = source.rows ? 'whole lines' : source.role === 'tool' ? 'numbered' : 'plain';
	const scanner = new TextScanner(factIndex.facts, form);
	for (const [partIndex, { text, heads }] of listSourceTexts(source).entries()) {
		const callsFrom = heads[0]?.from ?? text.length;
		const isLong = text.length > maxLength;
		scanner.scan(text, { partIndex, callsFrom, to: isLong ? maxLength >> 1 : text.length });
		if (isLong) scanner.scan(text, { partIndex, callsFrom, from: text.length - (maxLength >> 1) });
	}
	factIndex.entries.set(source.seq, {
		segments: scanner.segments,
		ownFacts: [...scanner.ownFacts],
		callFacts: [...scanner.callFacts],
		author: findAuthor(source),
	});
}

function findAuthor(source: Source): Author {
	if (source.role === 'tool') return 'result';
	return source.role === 'assistant' ? 'prose' : source.role;
}
