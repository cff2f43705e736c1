import { workLimits } from '../tuning.ts';
import { createFactIndex } from './facts.ts';
import { createMentions } from './mentions.ts';
import { type Scan, scanText } from './scan.ts';
import { createSegments } from './segments.ts';
import { partsOf, type Source } from './source.ts';

/** Who wrote a segment; `failure`: a result that says so itself. */
export type Author = 'user' | 'prose' | 'call' | 'result' | 'failure' | 'system';

/** What was found in one source. */
export interface LedgerEntry {
	seq: number;
	/** Its segments: `from..to` of the ledger's columns. */
	from: number;
	to: number;
	/** Its mentions: of its own words from `own`, of its calls from `calls`, up to `end`. */
	own: number;
	calls: number;
	end: number;
	/** Author of its own words. */
	author: Author;
}

/**
 * The facts of a session, message by message: which names stand where, and who wrote them.
 * It grows with what is added and holds no text, so it may live as long as the session.
 */
export interface Ledger extends Scan {
	entries: Map<number, LedgerEntry>;
}

/** A ledger of nothing. */
export function createLedger(): Ledger {
	return {
		facts: createFactIndex(),
		segments: createSegments(),
		mentions: createMentions(),
		entries: new Map(),
		stamps: new Int32Array(4096),
	};
}

/**
 * Reads sources into the ledger. Where they are too much to be read at once, words and calls go first, since
 * what agents need again stands there; results share what is left, the newest first.
 */
export function addSources(
	ledger: Ledger,
	sources: readonly Source[],
	most = workLimits.maxReadAtOnce,
): void {
	const fresh = sources.filter((source) => !ledger.entries.has(source.seq));
	let left = most;
	for (const source of fresh)
		if (source.role !== 'tool') left -= Math.min(source.text.length, workLimits.maxSourceLength);
	const limits = new Map<number, number>();
	for (let index = fresh.length - 1; index >= 0; index--) {
		const { role, seq, text } = fresh[index]!;
		if (role !== 'tool') continue;
		const limit = text.length <= left ? workLimits.maxSourceLength : workLimits.previewLength;
		limits.set(seq, limit);
		left -= Math.min(text.length, limit);
	}
	for (const source of fresh) addSource(ledger, source, limits.get(source.seq));
}

/** Reads a source into the ledger, in time linear in its size; one that was read before is left alone. */
export function addSource(ledger: Ledger, source: Source, most = workLimits.maxSourceLength): void {
	if (ledger.entries.has(source.seq)) return;
	const { segments, mentions } = ledger;
	const from = segments.from.length;
	const own = mentions.facts.length;
	const lineForm = source.structured ? 'whole lines' : source.role === 'tool' ? 'numbered' : 'plain';
	const parts = partsOf(source);
	mentions.message++;
	mentions.own = 0;
	for (let part = 0; part < parts.length; part++) {
		const { text, heads } = parts[part]!;
		mentions.callsFrom = heads[0]?.from ?? text.length;
		if (text.length <= most) scanText(ledger, text, part, 0, text.length, lineForm);
		else {
			scanText(ledger, text, part, 0, most >> 1, lineForm);
			scanText(ledger, text, part, text.length - (most >> 1), text.length, lineForm);
		}
	}
	const calls = own + mentions.own;
	const [to, end] = [segments.from.length, mentions.facts.length];
	ledger.entries.set(source.seq, { seq: source.seq, from, to, own, calls, end, author: authorOf(source) });
}

function authorOf(source: Source): Author {
	if (source.role === 'tool') return source.failed ? 'failure' : 'result';
	return source.role === 'assistant' ? 'prose' : source.role;
}
