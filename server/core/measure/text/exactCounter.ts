import { getCharacterClass, letterClass, markClass, numberClass } from './characterClass.ts';
import { createPieceMerger } from './mergePiece.ts';
import { emptyHash, extendHash, finishHash, isToken, readRankTable } from './rankTable.ts';
import { findClaude2PieceEnd } from './splitClaude2.ts';
import { findO200kPieceEnd } from './splitO200k.ts';

/** Vocabularies with a rank file. */
export type Vocabulary = 'o200k' | 'claude2';

/** Counts tokens exactly as the tokenizer of a vocabulary does. */
export interface ExactCounter {
	count(text: string): number;
}

const pieceEndFinders: Record<Vocabulary, (bytes: Uint8Array, start: number, end: number) => number> = {
	o200k: findO200kPieceEnd,
	claude2: findClaude2PieceEnd,
};

/** Maximum UTF-16 units that are encoded at once. */
const maxPartUnits = 1 << 14;
/** Maximum bytes of UTF-8 per UTF-16 unit. */
const maxBytesPerUnit = 3;
/** Maximum bytes of a piece that is looked up among the tokens. Longer pieces are merged directly. */
const maxLookupBytes = 128;

/**
 * Creates a counter that returns exactly the number of tokens that byte-level BPE produces. Special
 * tokens count as ordinary text, as in a conversation, and lone surrogates as U+FFFD.
 *
 * The text is processed in parts and never retained: linear time, fixed memory. Only a piece without a break, such as
 * a run of one letter, needs scratch memory while it is merged: about 55 bytes per byte.
 *
 * @param ranks a rank file (for errors see `readRankTable`)
 * @param mergesBeforeSpelling number of pieces to merge before the bytes of all tokens are computed. After that, most
 * pieces are found directly. Counting fewer pieces saves the computation, which is half of the table's cost
 */
export function createCounter(
	ranks: Uint8Array,
	vocabulary: Vocabulary,
	mergesBeforeSpelling = 0,
): ExactCounter {
	const table = readRankTable(ranks);
	let spelling = mergesBeforeSpelling > 0 ? undefined : table.getSpellings();
	let mergedPieceCount = 0;
	const findPieceEnd = pieceEndFinders[vocabulary];
	const mergePiece = createPieceMerger(table);
	const cache = createPieceCache();
	const encoder = new TextEncoder();
	const buffer = new Uint8Array(maxPartUnits * maxBytesPerUnit);

	function countPiece(bytes: Uint8Array, start: number, end: number): number {
		if (end - start === 1) return 1;
		if (end - start > maxLookupBytes) return mergePiece(bytes, start, end);
		let hash = emptyHash;
		for (let index = start; index < end; index++) hash = extendHash(hash, bytes[index]!);
		hash = finishHash(hash);
		if (spelling !== undefined && isToken(spelling, bytes, start, end, hash)) return 1;
		const knownCount = cache.get(bytes, start, end, hash);
		if (knownCount > 0) return knownCount;
		const count = mergePiece(bytes, start, end);
		if (++mergedPieceCount === mergesBeforeSpelling) spelling = table.getSpellings();
		cache.set(bytes, start, end, hash, count);
		return count;
	}

	function countPart(part: string): number {
		const capacity = part.length * maxBytesPerUnit;
		const bytes = capacity <= buffer.length ? buffer : new Uint8Array(capacity);
		const length = encoder.encodeInto(part, bytes).written;
		let count = 0;
		for (let start = 0; start < length; ) {
			const end = findPieceEnd(bytes, start, length);
			count += countPiece(bytes, start, end);
			start = end;
		}
		return count;
	}

	return {
		count(text) {
			let count = 0;
			for (let start = 0; start < text.length; ) {
				const end = findPartEnd(text, start, maxPartUnits);
				count += countPart(text.slice(start, end));
				start = end;
			}
			return count;
		},
	};
}

const cacheEntryCount = 1 << 14;
const maxCachedBytes = 32;

/** Caches the counts of merged pieces, because names in code repeat. */
interface PieceCache {
	/** The count of the bytes from `start` up to `end` with this hash; 0 if unknown. */
	get(bytes: Uint8Array, start: number, end: number, hash: number): number;
	/** Stores a count and evicts the entry in its slot. Ignores pieces over 32 bytes. */
	set(bytes: Uint8Array, start: number, end: number, hash: number, count: number): void;
}

/** Returns a direct-mapped cache of fixed size (0.6 MB) that copies the bytes, so it never retains a text. */
function createPieceCache(): PieceCache {
	const slots = new Uint8Array(cacheEntryCount * maxCachedBytes);
	const lengths = new Uint8Array(cacheEntryCount);
	const counts = new Uint8Array(cacheEntryCount);
	const findCacheSlot = (hash: number) => (hash ^ (hash >>> 16)) & (cacheEntryCount - 1);
	return {
		get(bytes, start, end, hash) {
			const entry = findCacheSlot(hash);
			if (lengths[entry] !== end - start) return 0;
			const offset = entry * maxCachedBytes - start;
			for (let index = start; index < end; index++) if (slots[offset + index] !== bytes[index]) return 0;
			return counts[entry]!;
		},
		set(bytes, start, end, hash, count) {
			if (end - start > maxCachedBytes) return;
			const entry = findCacheSlot(hash);
			const offset = entry * maxCachedBytes - start;
			for (let index = start; index < end; index++) slots[offset + index] = bytes[index]!;
			lengths[entry] = end - start;
			counts[entry] = count;
		},
	};
}

const apostrophe = 0x27;

/**
 * Whether a text may be split before the character at `index` (UTF-16 units) without changing the sum of the counts.
 *
 * A split is safe after a letter or digit if the next character is not a mark, not an apostrophe and not of the same
 * kind.
 *
 * Proof, for both patterns: after a letter, a piece continues only with letters, marks or a contraction; after a
 * digit, only with digits. No alternative has white space or a symbol after a letter or digit. So pieces end there
 * with and without the rest of the text, and no pattern looks behind its start.
 */
function isSafeSplit(text: string, index: number): boolean {
	const before = text.charCodeAt(index - 1);
	const after = text.charCodeAt(index);
	// Surrogates have no kind of their own, so a split next to one is never safe.
	if ((before & 0xf800) === 0xd800 || (after & 0xf800) === 0xd800 || after === apostrophe) return false;
	const kindBefore = getUnitKind(before);
	const kindAfter = getUnitKind(after);
	return kindBefore !== 0 && kindAfter !== markClass && kindAfter !== kindBefore;
}

function getUnitKind(unit: number): number {
	const characterClass = getCharacterClass(unit);
	if (characterClass & letterClass) return letterClass;
	return characterClass & (numberClass | markClass);
}

/**
 * Returns the end (UTF-16 units) of a part of `text` that starts at `start` and can be counted separately. The part
 * has at most `size` units unless no position among them allows a split.
 */
function findPartEnd(text: string, start: number, size: number): number {
	if (text.length - start <= size) return text.length;
	for (let index = start + size; index > start; index--) if (isSafeSplit(text, index)) return index;
	for (let index = start + size + 1; index < text.length; index++) if (isSafeSplit(text, index)) return index;
	return text.length;
}
