import { findMergedToken, noToken, type PieceMerger, type RankTable } from './rankTable.ts';

/** Maximum bytes of a piece for which scanning all pairs is faster than queues by rank. */
const shortPieceBytes = 32;

/**
 * Creates the merge step of BPE: merges neighbours with the lowest rank first, the leftmost among
 * equals, until none merge. Linear in the length of the piece.
 */
export function createPieceMerger(table: RankTable): PieceMerger {
	const mergeLongPiece = createLongPieceMerger(table);
	const tokens = new Int32Array(shortPieceBytes);
	const ranks = new Int32Array(shortPieceBytes);

	function mergeShortPiece(bytes: Uint8Array, start: number, end: number): number {
		let count = end - start;
		for (let i = 0; i < count; i++) tokens[i] = table.byteTokens[bytes[start + i]!]!;
		for (let i = 0; i + 1 < count; i++) ranks[i] = findMergedToken(table, tokens[i]!, tokens[i + 1]!);
		for (; ; count--) {
			let lowest = noToken;
			let index = 0;
			for (let i = 0; i + 1 < count; i++) {
				if (ranks[i]! < lowest) {
					lowest = ranks[i]!;
					index = i;
				}
			}
			if (lowest === noToken) return count;
			tokens[index] = lowest;
			for (let i = index + 1; i + 1 < count; i++) {
				tokens[i] = tokens[i + 1]!;
				ranks[i] = ranks[i + 1]!;
			}
			if (index > 0) ranks[index - 1] = findMergedToken(table, tokens[index - 1]!, lowest);
			if (index + 2 < count) ranks[index] = findMergedToken(table, lowest, tokens[index + 1]!);
		}
	}

	return (bytes, start, end) =>
		end - start <= shortPieceBytes ? mergeShortPiece(bytes, start, end) : mergeLongPiece(bytes, start, end);
}

/** Lists of positions by rank, drained rank by rank from the lowest. */
interface RankQueue {
	/** Allocates capacity for this many positions in total. The queue must be empty. */
	reserve(capacity: number): void;
	add(rank: number, position: number): void;
	/** The lowest rank from `rank` on that has positions; `noToken` if there is none. */
	nextRank(rank: number): number;
	/** Removes and returns the positions of a rank, in the order of addition; valid until the next call. */
	drain(rank: number): Int32Array;
}

/** Capacity that is retained between uses. */
const retainedCapacity = 1 << 13;

/** Creates an empty queue for ranks below `rankCount`. Operations cost O(affected positions). */
function createRankQueue(rankCount: number): RankQueue {
	/** The newest entry of each rank's list; -1 if the list is empty. */
	const newestEntries = new Int32Array(rankCount).fill(-1);
	/** One bit per rank, set if the rank has entries. */
	const ranks = new Int32Array((rankCount >> 5) + 1);
	const rankGroups = new Int32Array((ranks.length >> 5) + 1);
	const retainedEntries = allocateEntries(retainedCapacity);
	let entries = retainedEntries;
	let size = 0;
	return {
		reserve(capacity) {
			size = 0;
			entries = capacity <= retainedCapacity ? retainedEntries : allocateEntries(capacity);
		},
		add(rank, position) {
			entries.positions[size] = position;
			entries.older[size] = newestEntries[rank]!;
			newestEntries[rank] = size++;
			ranks[rank >> 5]! |= 1 << (rank & 31);
			rankGroups[rank >> 10]! |= 1 << ((rank >> 5) & 31);
		},
		nextRank(rank) {
			for (let group = rank >> 10; group < rankGroups.length; group++) {
				if (rankGroups[group] === 0) continue;
				const word = 32 * group + findLowestBit(rankGroups[group]!);
				return 32 * word + findLowestBit(ranks[word]!);
			}
			return noToken;
		},
		drain(rank) {
			const { positions, older: previousEntries, drained: drainedPositions } = entries;
			let first = drainedPositions.length;
			for (let entry = newestEntries[rank]!; entry >= 0; entry = previousEntries[entry]!)
				drainedPositions[--first] = positions[entry]!;
			newestEntries[rank] = -1;
			ranks[rank >> 5]! &= ~(1 << (rank & 31));
			if (ranks[rank >> 5] === 0) rankGroups[rank >> 10]! &= ~(1 << ((rank >> 5) & 31));
			return drainedPositions.subarray(first);
		},
	};
}

function allocateEntries(capacity: number) {
	return {
		positions: new Int32Array(capacity),
		/** The previous entry in the list of the same rank; -1 for the first one. */
		older: new Int32Array(capacity),
		drained: new Int32Array(capacity),
	};
}

/** Returns the index of the lowest bit that is set. */
function findLowestBit(bits: number): number {
	return 31 - Math.clz32(bits & -bits);
}

/** Pieces up to this many bytes share one workspace. */
const sharedWorkspaceBytes = 2048;

/**
 * Creates the merge step of BPE for long pieces: rank by rank instead of pair by pair, in linear time.
 * A pair that results from a merge has a higher rank than that merge, because a token consists of tokens of lower
 * ranks. So when a rank's turn comes, all its pairs are known and can be merged in one sweep. Only pairs of two equal
 * tokens can overlap (x x x); they are merged from left to right.
 */
function createLongPieceMerger(table: RankTable): PieceMerger {
	const { byteTokens, halves } = table;
	const queue = createRankQueue(halves.length / 2);
	const shared = allocateWorkspace(sharedWorkspaceBytes);

	return (bytes, start, end) => {
		const length = end - start;
		const workspace = length <= sharedWorkspaceBytes ? shared : allocateWorkspace(length);
		const { tokens, next, previous, ranks } = workspace;
		// Every position is queued once at the start, and at most twice for each of fewer than `length` merges.
		queue.reserve(3 * length);

		const queueMerge = (position: number) => {
			const after = next[position]!;
			const rank = after < length ? findMergedToken(table, tokens[position]!, tokens[after]!) : noToken;
			ranks[position] = rank;
			if (rank !== noToken) queue.add(rank, position);
		};

		for (let position = 0; position < length; position++) {
			tokens[position] = byteTokens[bytes[start + position]!]!;
			next[position] = position + 1;
			previous[position] = position - 1;
		}
		for (let position = 0; position < length; position++) queueMerge(position);

		let count = length;
		for (let rank = queue.nextRank(0); rank !== noToken; rank = queue.nextRank(rank)) {
			const positions = queue.drain(rank);
			if (halves[2 * rank] === halves[2 * rank + 1]) positions.sort();
			for (const position of positions) {
				// An earlier merge has consumed one of the two tokens.
				if (ranks[position] !== rank) continue;
				const absorbed = next[position]!;
				const after = next[absorbed]!;
				ranks[absorbed] = noToken;
				tokens[position] = rank;
				next[position] = after;
				if (after < length) previous[after] = position;
				count--;
				queueMerge(position);
				if (position > 0) queueMerge(previous[position]!);
			}
		}
		return count;
	};
}

/** State of the token at each position of a piece, as a doubly linked list. */
function allocateWorkspace(length: number) {
	return {
		tokens: new Int32Array(length),
		next: new Int32Array(length),
		previous: new Int32Array(length),
		/** The rank of the merge with the next token. */
		ranks: new Int32Array(length),
	};
}
