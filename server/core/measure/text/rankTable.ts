/**
 * The vocabulary of a byte-level BPE tokenizer, in the form that counting needs. A token is known by its
 * rank: the lower the rank, the earlier two neighbours are merged into it.
 */
export interface RankTable {
	/** The token of each single byte. */
	readonly byteTokens: Int32Array;
	/** The two tokens that each token is merged from: left at 2 x token, right after it. For a single byte, the byte. */
	readonly halves: Int32Array;
	/** Open addressing by the two halves; each slot holds a token plus 1, or 0. */
	readonly pairSlots: Int32Array;
	/** How the tokens are spelled. It is made when it is first asked for: who counts little can do without. */
	spelling(): Spelling;
}

/** The bytes of all tokens, and where to find the token of some bytes. */
export interface Spelling {
	/** The bytes of all tokens, one after the other in the order of their ranks. */
	readonly arena: Uint8Array;
	/** Where the bytes of each token begin in the arena; one more entry closes the last one. */
	readonly offsets: Int32Array;
	/** Hash of the bytes of each token, see `extendHash` and `finishHash`. */
	readonly hashes: Int32Array;
	/** Open addressing by those hashes; each slot holds a token plus 1, or 0. */
	readonly tokenSlots: Int32Array;
}

/** Gives the number of tokens that BPE leaves of a piece: the bytes from `start` up to `end`. */
export type MergePiece = (bytes: Uint8Array, start: number, end: number) => number;

/** What `mergedToken` gives for two tokens that do not merge: greater than any rank. */
export const noToken = 0x7fffffff;

/** Number of tokens that stand for a single byte; they have the lowest ranks. */
const byteTokenCount = 256;

/** Start value of a hash (FNV-1a, 32 bits). */
export const emptyHash = 0x811c9dc5 | 0;

/** The hash of bytes with one more byte at the end (FNV-1a). */
export function extendHash(hash: number, byte: number): number {
	return Math.imul(hash ^ byte, 0x01000193);
}

/** Spreads the high bits of a hash, which vary most, over the low ones, which address the slots. */
export function finishHash(hash: number): number {
	return hash ^ (hash >>> 15);
}

function pairHash(left: number, right: number): number {
	const mixed = Math.imul(left, 0x9e3779b1) ^ Math.imul(right, 0x85ebca6b);
	return mixed ^ (mixed >>> 15);
}

/**
 * Reads a rank file: two numbers for each token in the order of their ranks, the two tokens that it is merged from, each
 * of an earlier rank. Of the 256 tokens of a single byte, which come first, the first number is that byte and the second
 * one nothing. Numbers of 24 bits, in three planes, take less space than any other form that is as fast to read, in the
 * package too, which is compressed. Throws a RangeError when the bytes are not such a file.
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

	const pairSlots = new Int32Array(slotCount(count));
	for (let token = byteTokenCount; token < count; token++) {
		const left = halves[2 * token]!;
		const right = halves[2 * token + 1]!;
		if (!(left >= 0 && left < token && right >= 0 && right < token)) {
			throw new RangeError(`Rank file: token ${token} is not made of two earlier ones (${left}, ${right}).`);
		}
		occupy(pairSlots, pairHash(left, right), token);
	}
	let spelling: Spelling | undefined;
	return {
		byteTokens,
		halves,
		pairSlots,
		spelling() {
			spelling ??= spellTokens(halves, count);
			return spelling;
		},
	};
}

/** Numbers of 24 bits that a file holds as three planes: the low bytes of all, their middle bytes, their high bytes. */
function readNumbers(ranks: Uint8Array): Int32Array {
	const count = ranks.length / 3;
	if (!Number.isInteger(count)) throw new RangeError('Rank file: it ends within a number.');
	const numbers = new Int32Array(count);
	for (let index = 0; index < count; index++) {
		numbers[index] = ranks[index]! | (ranks[count + index]! << 8) | (ranks[2 * count + index]! << 16);
	}
	return numbers;
}

/** The bytes of every token, those of its left half and then those of its right half, and their hashes. */
function spellTokens(halves: Int32Array, count: number): Spelling {
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
	const arena = new Uint8Array(offsets[count]!);
	for (let token = 0; token < byteTokenCount; token++) arena[token] = halves[2 * token]!;
	const hashes = new Int32Array(count);
	for (let token = 0; token < count; token++) {
		if (token >= byteTokenCount) {
			// A loop, as calls of copyWithin for some bytes each cost more than the bytes.
			let index = offsets[token]!;
			const left = halves[2 * token]!;
			for (let from = offsets[left]!; from < offsets[left + 1]!; from++) arena[index++] = arena[from]!;
			const right = halves[2 * token + 1]!;
			for (let from = offsets[right]!; from < offsets[right + 1]!; from++) arena[index++] = arena[from]!;
		}
		let hash = emptyHash;
		for (let index = offsets[token]!; index < offsets[token + 1]!; index++)
			hash = extendHash(hash, arena[index]!);
		hashes[token] = finishHash(hash);
	}
	const tokenSlots = new Int32Array(slotCount(count));
	for (let token = 0; token < count; token++) occupy(tokenSlots, hashes[token]!, token);
	return { arena, offsets, hashes, tokenSlots };
}

/** A power of two that leaves more than half of the slots empty. */
function slotCount(count: number): number {
	return 2 ** Math.ceil(Math.log2(2 * count));
}

function occupy(slots: Int32Array, hash: number, token: number): void {
	let slot = hash & (slots.length - 1);
	while (slots[slot] !== 0) slot = (slot + 1) & (slots.length - 1);
	slots[slot] = token + 1;
}

/** Whether the bytes from `start` up to `end`, whose finished hash is `hash`, are one token. */
export function isToken(
	{ tokenSlots, hashes, offsets, arena }: Spelling,
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
		while (index < end && arena[spelled] === bytes[index]) {
			index++;
			spelled++;
		}
		if (index === end) return true;
	}
}

/**
 * The token that two neighbouring tokens merge into, or `noToken`.
 *
 * Only the pair that a token is made of when it is encoded alone can ever come to be merged into it: as
 * long as no merge crosses the ends of its bytes, these are merged as if nothing stood around them. So two
 * numbers decide, and the bytes need not be compared.
 */
export function mergedToken(table: RankTable, left: number, right: number): number {
	const { pairSlots, halves } = table;
	const mask = pairSlots.length - 1;
	for (let slot = pairHash(left, right) & mask; ; slot = (slot + 1) & mask) {
		const token = pairSlots[slot]! - 1;
		if (token < 0) return noToken;
		if (halves[2 * token] === left && halves[2 * token + 1] === right) return token;
	}
}
