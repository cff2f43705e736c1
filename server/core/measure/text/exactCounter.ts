import { createPieceMerger } from './mergePiece.ts';
import { createPieceCache } from './pieceCache.ts';
import { EMPTY_HASH, extendHash, finishHash, isToken, readRankTable } from './rankTable.ts';
import { partEnd } from './safeCut.ts';
import { claude2PieceEnd } from './splitClaude2.ts';
import { o200kPieceEnd } from './splitO200k.ts';

/** The vocabularies that there are rank files of. */
export type Vocabulary = 'o200k' | 'claude2';

/** Counts tokens as the tokenizer of a vocabulary does. */
export interface Counter {
	count(text: string): number;
}

const pieceEnds: Record<Vocabulary, (bytes: Uint8Array, start: number, end: number) => number> = {
	o200k: o200kPieceEnd,
	claude2: claude2PieceEnd,
};

/** UTF-16 units that are encoded at a time. */
const PART_UNITS = 1 << 14;
/** UTF-8 takes this many bytes for a UTF-16 unit at most. */
const BYTES_PER_UNIT = 3;
/** Pieces of more bytes are no words: they are merged without looking for them among tokens. */
const LONGEST_WORD_BYTES = 128;

/**
 * A counter that gives exactly the number of tokens that byte-level BPE makes of a text, special tokens
 * read as the ordinary text that they are in a conversation, and lone surrogates as U+FFFD.
 *
 * The text is walked through part by part and nothing of it is kept, so that time is linear in its length
 * and memory fixed; only a piece without a break in it, such as a run of one letter, takes scratch memory
 * while it is merged, some 55 bytes for each of its own.
 *
 * `ranks` is a rank file (see `readRankTable`, which says what it throws).
 */
export function createCounter(ranks: Uint8Array, vocabulary: Vocabulary): Counter {
	const table = readRankTable(ranks);
	const pieceEnd = pieceEnds[vocabulary];
	const mergePiece = createPieceMerger(table);
	const cache = createPieceCache();
	const encoder = new TextEncoder();
	const buffer = new Uint8Array(PART_UNITS * BYTES_PER_UNIT);

	function countPiece(bytes: Uint8Array, start: number, end: number): number {
		if (end - start === 1) return 1;
		if (end - start > LONGEST_WORD_BYTES) return mergePiece(bytes, start, end);
		let hash = EMPTY_HASH;
		for (let at = start; at < end; at++) hash = extendHash(hash, bytes[at]!);
		hash = finishHash(hash);
		if (isToken(table, bytes, start, end, hash)) return 1;
		const known = cache.get(bytes, start, end, hash);
		if (known > 0) return known;
		const count = mergePiece(bytes, start, end);
		cache.set(bytes, start, end, hash, count);
		return count;
	}

	function countPart(part: string): number {
		const room = part.length * BYTES_PER_UNIT;
		const bytes = room <= buffer.length ? buffer : new Uint8Array(room);
		const length = encoder.encodeInto(part, bytes).written;
		let count = 0;
		for (let start = 0; start < length; ) {
			const end = pieceEnd(bytes, start, length);
			count += countPiece(bytes, start, end);
			start = end;
		}
		return count;
	}

	return {
		count(text) {
			let count = 0;
			for (let start = 0; start < text.length; ) {
				const end = partEnd(text, start, PART_UNITS);
				count += countPart(text.slice(start, end));
				start = end;
			}
			return count;
		},
	};
}
