/**
 * The vocabulary of a byte-level BPE tokenizer, in the form that counting needs. A token is identified
 * by its rank: the lower the rank, the earlier two neighbours are merged into it.
 */
export interface RankTable {
	/** The token of each single byte. */
	readonly byteTokens: Int32Array;
	/** The two tokens that each token is merged from, at 2 × token and 2 × token + 1; for a byte, the byte. */
	readonly halves: Int32Array;
	/** Hash table by the two halves: each slot is a token plus 1, or 0 if free. */
	readonly pairSlots: Int32Array;
	/** Returns the spelling of the tokens, computed on the first call. */
	getSpellings(): TokenSpellings;
}

/** The bytes of all tokens, and an index from bytes to tokens. */
export interface TokenSpellings {
	/** The bytes of all tokens, concatenated in the order of their ranks. */
	readonly tokenBytes: Uint8Array;
	/** Start of each token's bytes in `tokenBytes`; one more entry ends the last token. */
	readonly offsets: Int32Array;
	/** Hash of each token's bytes, see `extendHash` and `finishHash`. */
	readonly hashes: Int32Array;
	/** Hash table (open addressing) of tokens by the hash of their bytes: each slot is a token plus 1, or 0 if free. */
	readonly tokenSlots: Int32Array;
}

/** Returns the number of tokens into which BPE merges a piece: the bytes from `start` up to `end`. */
export type PieceMerger = (bytes: Uint8Array, start: number, end: number) => number;

/** Result of `findMergedToken` for two tokens that do not merge; greater than any rank. */
export const noToken = 0x7fffffff;

/** Number of single-byte tokens; they have the lowest ranks. */
const byteTokenCount = 256;

/** Start value of a hash (FNV-1a, 32 bits). */
export const emptyHash = 0x811c9dc5 | 0;

/** Returns the hash of some bytes followed by one more byte (FNV-1a). */
export function extendHash(hash: number, byte: number): number {
	return Math.imul(hash ^ byte, 0x01000193);
}

/** Mixes the high bits of a hash, which vary most, into the low ones, which address the slots. */
export function finishHash(hash: number): number {
	return hash ^ (hash >>> 15);
}

function hashTokenPair(left: number, right: number): number {
	const mixed = Math.imul(left, 0x9e3779b1) ^ Math.imul(right, 0x85ebca6b);
	return mixed ^ (mixed >>> 15);
}

/**
 * Reads a rank file. Throws a RangeError if the bytes are not one.
 *
 * The file contains two numbers for each token, in the order of ranks: the two tokens of earlier ranks that
 * it is merged from. For the 256 single-byte tokens, which come first, the first number is the byte and the
 * second is unused. Numbers have 24 bits and are stored in three planes. No other form is as fast to read and
 * as small, even in a compressed package.
 */
export function readRankTable(ranks: Uint8Array): RankTable {
	const halves = readNumbers(ranks);
	const count = halves.length / 2;
	if (count < byteTokenCount || !Number.isInteger(count))
		throw new RangeError(
			`Rank file: expected two numbers for each of at least 256 tokens, found ${halves.length} numbers.`,
		);
	const byteTokens = new Int32Array(byteTokenCount).fill(noToken);
	for (let token = 0; token < byteTokenCount; token++) byteTokens[halves[2 * token]!] = token;
	if (byteTokens.includes(noToken)) throw new RangeError('Rank file: a single byte has no token.');

	const pairSlots = new Int32Array(computeSlotCount(count));
	for (let token = byteTokenCount; token < count; token++) {
		const left = halves[2 * token]!;
		const right = halves[2 * token + 1]!;
		if (!(left >= 0 && left < token && right >= 0 && right < token)) {
			throw new RangeError(
				`Rank file: token ${token} is not merged from two earlier tokens (${left}, ${right}).`,
			);
		}
		insertToken(pairSlots, hashTokenPair(left, right), token);
	}
	let spellings: TokenSpellings | undefined;
	return {
		byteTokens,
		halves,
		pairSlots,
		getSpellings() {
			spellings ??= spellTokens(halves, count);
			return spellings;
		},
	};
}

/** Reads 24-bit numbers from three planes: all low bytes, all middle bytes, all high bytes. */
function readNumbers(ranks: Uint8Array): Int32Array {
	const count = ranks.length / 3;
	if (!Number.isInteger(count)) throw new RangeError('Rank file: ends within a number.');
	const numbers = new Int32Array(count);
	for (let index = 0; index < count; index++)
		numbers[index] = ranks[index]! | (ranks[count + index]! << 8) | (ranks[2 * count + index]! << 16);
	return numbers;
}

/** Returns the bytes of every token, the concatenation of its two halves, and their hashes. */
function spellTokens(halves: Int32Array, count: number): TokenSpellings {
	const offsets = new Int32Array(count + 1);
	for (let token = 0; token < count; token++) {
		const left = halves[2 * token]!;
		const right = halves[2 * token + 1]!;
		const length =
			token < byteTokenCount
				? 1
				: offsets[left + 1]! - offsets[left]! + offsets[right + 1]! - offsets[right]!;
		offsets[token + 1] = offsets[token]! + length;
	}
	const tokenBytes = new Uint8Array(offsets[count]!);
	for (let token = 0; token < byteTokenCount; token++) tokenBytes[token] = halves[2 * token]!;
	const hashes = new Int32Array(count);
	for (let token = 0; token < count; token++) {
		if (token >= byteTokenCount) {
			// A loop, because calls of `copyWithin` cost more than copying a few bytes.
			let index = offsets[token]!;
			const left = halves[2 * token]!;
			for (let from = offsets[left]!; from < offsets[left + 1]!; from++)
				tokenBytes[index++] = tokenBytes[from]!;
			const right = halves[2 * token + 1]!;
			for (let from = offsets[right]!; from < offsets[right + 1]!; from++)
				tokenBytes[index++] = tokenBytes[from]!;
		}
		let hash = emptyHash;
		for (let index = offsets[token]!; index < offsets[token + 1]!; index++)
			hash = extendHash(hash, tokenBytes[index]!);
		hashes[token] = finishHash(hash);
	}
	const tokenSlots = new Int32Array(computeSlotCount(count));
	for (let token = 0; token < count; token++) insertToken(tokenSlots, hashes[token]!, token);
	return { tokenBytes, offsets, hashes, tokenSlots };
}

/** Returns a power of two that leaves more than half of the slots empty. */
function computeSlotCount(count: number): number {
	return 2 ** Math.ceil(Math.log2(2 * count));
}

function insertToken(slots: Int32Array, hash: number, token: number): void {
	let slot = hash & (slots.length - 1);
	while (slots[slot] !== 0) slot = (slot + 1) & (slots.length - 1);
	slots[slot] = token + 1;
}

/** Whether the bytes from `start` up to `end` are one token; `hash` is their finished hash. */
export function isToken(
	{ tokenSlots, hashes, offsets, tokenBytes }: TokenSpellings,
	bytes: Uint8Array,
	start: number,
	end: number,
	hash: number,
): boolean {
	const mask = tokenSlots.length - 1;
	for (let slot = hash & mask; ; slot = (slot + 1) & mask) {
		const token = tokenSlots[slot]! - 1;
		if (token < 0) return false;
		if (hashes[token] !== hash) continue;
		let spelled = offsets[token]!;
		if (offsets[token + 1]! - spelled !== end - start) continue;
		let index = start;
		while (index < end && tokenBytes[spelled] === bytes[index]) {
			index++;
			spelled++;
		}
		if (index === end) return true;
	}
}

/**
 * Returns the token that two neighbouring tokens merge into, or `noToken`. Compares token numbers instead of
 * bytes, because BPE builds a token from the same two tokens in every text.
 */
export function findMergedToken(table: RankTable, left: number, right: number): number {
	const { pairSlots, halves } = table;
	const mask = pairSlots.length - 1;
	for (let slot = hashTokenPair(left, right) & mask; ; slot = (slot + 1) & mask) {
		const token = pairSlots[slot]! - 1;
		if (token < 0) return noToken;
		if (halves[2 * token] === left && halves[2 * token + 1] === right) return token;
	}
}
