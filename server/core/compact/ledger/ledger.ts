import { createFactIndex, type FactIndex } from './facts.ts';
import { scanText } from './scan.ts';
import { createSegments, type Segments } from './segments.ts';
import { partsOf, type Source } from './source.ts';

/** Who wrote a segment; `failure`: a result that says so itself. */
export type Author = 'user' | 'prose' | 'call' | 'result' | 'failure' | 'system';

/** What was found in one source. */
export interface Entry {
	seq: number;
	/** Its segments: `from..to` of the ledger's columns. */
	from: number;
	/** Where the segments of its calls begin; those before are of its own text. */
	calls: number;
	to: number;
	/** Author of its own text. */
	author: Author;
}

/**
 * The facts of a session, message by message: which names stand where, and who wrote them.
 * It grows with what is added and holds no text, so it may live as long as the session.
 */
export interface Ledger {
	facts: FactIndex;
	segments: Segments;
	entries: Map<number, Entry>;
	stamps: Int32Array;
}

/** A text longer than this (UTF-16 units) is read at its head and its tail, half of this each. */
const LONGEST_READ = 400_000;

/** A ledger of nothing. */
export function createLedger(): Ledger {
	return {
		facts: createFactIndex(),
		segments: createSegments(),
		entries: new Map(),
		stamps: new Int32Array(4096),
	};
}

/** Reads a source into the ledger, in time linear in its size; one that was read before is left alone. */
export function addSource(ledger: Ledger, source: Source, most = LONGEST_READ): void {
	if (ledger.entries.has(source.seq)) return;
	const from = ledger.segments.from.length;
	let calls = from;
	const parts = partsOf(source);
	for (let part = 0; part < parts.length; part++) {
		const { text, call } = parts[part]!;
		const gutter = source.role === 'tool' ? 'gutter' : 'plain';
		if (text.length <= most) scanText(ledger, text, part, 0, text.length, gutter);
		else {
			scanText(ledger, text, part, 0, most >> 1, gutter);
			scanText(ledger, text, part, text.length - (most >> 1), text.length, gutter);
		}
		if (call === undefined) calls = ledger.segments.from.length;
	}
	const to = ledger.segments.from.length;
	ledger.entries.set(source.seq, { seq: source.seq, from, calls, to, author: authorOf(source) });
}

function authorOf(source: Source): Author {
	if (source.role === 'tool') return source.isError ? 'failure' : 'result';
	return source.role === 'assistant' ? 'prose' : source.role;
}
