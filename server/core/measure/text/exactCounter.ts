import { characterClassOf, letterClass, markClass, numberClass } from './characterClass.ts';
import { createPieceMerger } from './mergePiece.ts';
import { emptyHash, extendHash, finishHash, isToken, readRankTable } from './rankTable.ts';
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
const partUnits = 1 << 14;
/** UTF-8 takes this many bytes for a UTF-16 unit at most. */
const bytesPerUnit = 3;
/** Pieces of more bytes are no words: they are merged without looking for them among tokens. */
const longestWordBytes = 128;

/**
 * A counter that gives exactly the number of tokens that byte-level BPE makes of a text, special tokens
 * read as the ordinary text that they are in a conversation, and lone surrogates as U+FFFD.
 *
 * The text is walked through part by part and nothing of it is kept, so that time is linear in its length
 * and memory fixed; only a piece without a break in it, such as a run of one letter, takes scratch memory
 * while it is merged, some 55 bytes for each of its own.
 *
 * @param ranks a rank file (see `readRankTable`, which says what it throws)
 * @param mergedBefore pieces that are merged byte by byte before all tokens are spelled, among which most pieces are then
 *     found; who counts less is spared half of what the table costs
 */
export function createCounter(ranks: Uint8Array, vocabulary: Vocabulary, mergedBefore = 0): Counter {
	const table = readRankTable(ranks);
	let spelling = mergedBefore > 0 ? undefined : table.spelling();
	let merged = 0;
	const pieceEnd = pieceEnds[vocabulary];
	const mergePiece = createPieceMerger(table);
	const cache = createPieceCache();
	const encoder = new TextEncoder();
	const buffer = new Uint8Array(partUnits * bytesPerUnit);

	function countPiece(bytes: Uint8Array, start: number, end: number): number {
		if (end - start === 1) return 1;
		if (end - start > longestWordBytes) return mergePiece(bytes, start, end);
		let hash = emptyHash;
		for (let index = start; index < end; index++) hash = extendHash(hash, bytes[index]!);
		hash = finishHash(hash);
		if (spelling !== undefined && isToken(spelling, bytes, start, end, hash)) return 1;
		const known = cache.get(bytes, start, end, hash);
		if (known > 0) return known;
		const count = mergePiece(bytes, start, end);
		if (++merged === mergedBefore) spelling = table.spelling();
		cache.set(bytes, start, end, hash, count);
		return count;
	}

	function countPart(part: string): number {
		const room = part.length * bytesPerUnit;
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
				const end = partEnd(text, start, partUnits);
				count += countPart(text.slice(start, end));
				start = end;
			}
			return count;
		},
	};
}

const entries = 1 << 14;
const longestBytes = 32;

/** Remembers the counts of pieces that had to be merged, as names in code come again and again. */
interface PieceCache {
	/** The count of the bytes from `start` up to `end`, whose hash is `hash`; 0 when it is not known. */
	get(bytes: Uint8Array, start: number, end: number, hash: number): number;
	/** Remembers a count, in the place of what had that hash; pieces over 32 bytes are not kept. */
	set(bytes: Uint8Array, start: number, end: number, hash: number, count: number): void;
}

/** A direct-mapped cache of fixed size (0.6 MB) that copies the bytes, so that it never holds a text. */
function createPieceCache(): PieceCache {
	const pieces = new Uint8Array(entries * longestBytes);
	const lengths = new Uint8Array(entries);
	const counts = new Uint8Array(entries);
	const entryOf = (hash: number) => (hash ^ (hash >>> 16)) & (entries - 1);
	return {
		get(bytes, start, end, hash) {
			const entry = entryOf(hash);
			if (lengths[entry] !== end - start) return 0;
			const offset = entry * longestBytes - start;
			for (let index = start; index < end; index++) if (pieces[offset + index] !== bytes[index]) return 0;
			return counts[entry]!;
		},
		set(bytes, start, end, hash, count) {
			if (end - start > longestBytes) return;
			const entry = entryOf(hash);
			const offset = entry * longestBytes - start;
			for (let index = start; index < end; index++) pieces[offset + index] = bytes[index]!;
			lengths[entry] = end - start;
			counts[entry] = count;
		},
	};
}

const apostrophe = 0x27;

/**
 * Whether a text may be cut before the character at `index` (UTF-16 units) and its parts counted apart
 * without changing the sum. It may after a letter or a digit, before anything that is neither a mark, an
 * apostrophe nor of the same kind.
 *
 * Proof, for both patterns: after a letter a piece goes on with letters, marks or a contraction alone,
 * after a digit with digits alone, and no alternative has white space or a symbol behind either. So the
 * pieces end there with the rest of the text and without it, and no pattern looks back over its start.
 */
function isSafe(text: string, index: number): boolean {
	const before = text.charCodeAt(index - 1);
	const after = text.charCodeAt(index);
	// Halves of a pair are of no kind of their own; no safe cut is looked for beside them.
	if ((before & 0xf800) === 0xd800 || (after & 0xf800) === 0xd800 || after === apostrophe) return false;
	const kindBefore = kindOf(before);
	const kindAfter = kindOf(after);
	return kindBefore !== 0 && kindAfter !== markClass && kindAfter !== kindBefore;
}

function kindOf(unit: number): number {
	const found = characterClassOf(unit);
	if (found & letterClass) return letterClass;
	return found & (numberClass | markClass);
}

/**
 * The end (UTF-16 units) of the part of `text` that begins at `start` and can be counted by itself: about
 * `size` units, and more only where nothing in them allows a cut.
 */
function partEnd(text: string, start: number, size: number): number {
	if (text.length - start <= size) return text.length;
	for (let index = start + size; index > start; index--) if (isSafe(text, index)) return index;
	for (let index = start + size + 1; index < text.length; index++) if (isSafe(text, index)) return index;
	return text.length;
}
