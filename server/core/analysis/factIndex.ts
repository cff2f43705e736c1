/** The facts of a session by message: which names appear where, and who wrote them. */

import { createFactNumbers, type FactNumbers, TextScanner, type TextSegment } from './scan.ts';
import { listSourceTexts, type Source } from './source.ts';

/** Who wrote a segment. */
export type Author = 'user' | 'prose' | 'call' | 'result' | 'system';

/** The facts of one source. */
export interface FactEntry {
	segments: readonly TextSegment[];
	/** Distinct facts of its text, and of its calls. */
	ownFacts: readonly number[];
	callFacts: readonly number[];
	/** Who wrote its text. */
	author: Author;
}

/** Grows with each source and stores no text, so it may live as long as the session. */
export interface FactIndex {
	facts: FactNumbers;
	/** By ordinal of the message. */
	entries: Map<number, FactEntry>;
}

/** Returns an empty index. */
export function createFactIndex(): FactIndex {
	return { facts: createFactNumbers(), entries: new Map() };
}

/** Adds a source, unless it was added before; texts above `maxLength` UTF-16 units only by head and tail. Linear. */
export function addSource(factIndex: FactIndex, source: Source, maxLength = Number.POSITIVE_INFINITY): void {
	if (factIndex.entries.has(source.seq)) return;
	const form = source.rows ? 'whole lines' : source.role === 'tool' ? 'numbered' : 'plain';
	const scanner = new TextScanner(factIndex.facts, form);
	for (const [part, { text, heads }] of listSourceTexts(source).entries()) {
		const callsFrom = heads[0]?.from ?? text.length;
		const isLong = text.length > maxLength;
		scanner.scan(text, { part, callsFrom, to: isLong ? maxLength >> 1 : text.length });
		if (isLong) scanner.scan(text, { part, callsFrom, from: text.length - (maxLength >> 1) });
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
