import type { MergePiece } from './mergePiece.ts';
import { mergedToken, NO_TOKEN, type RankTable } from './rankTable.ts';

/**
 * The merge step of BPE for long pieces, in linear time: rank by rank instead of pair by pair.
 *
 * A pair that comes to be by a merge has a higher rank than that merge, since a token is made of tokens of
 * lower ranks. So when it is a rank's turn, all its pairs are known, and they can be merged in one sweep.
 * Only pairs of two equal tokens can overlap (x x x); these are merged from left to right.
 */
export function createLongPieceMerger(table: RankTable): MergePiece {
	const { byteTokens, halves } = table;
	const queue = createRankQueue(halves.length / 2);

	return (bytes, start, end) => {
		const length = end - start;
		const tokens = new Int32Array(length);
		const next = new Int32Array(length);
		const previous = new Int32Array(length);
		const ranks = new Int32Array(length).fill(NO_TOKEN);
		// Every place is queued once at the start, and twice at most for each of fewer than `length` merges.
		queue.reserve(3 * length);

		const offer = (place: number) => {
			const after = next[place]!;
			const rank = after < length ? mergedToken(table, tokens[place]!, tokens[after]!) : NO_TOKEN;
			ranks[place] = rank;
			if (rank !== NO_TOKEN) queue.add(rank, place);
		};

		for (let place = 0; place < length; place++) {
			tokens[place] = byteTokens[bytes[start + place]!]!;
			next[place] = place + 1;
			previous[place] = place - 1;
		}
		for (let place = 0; place < length; place++) offer(place);

		let count = length;
		for (let rank = queue.nextRank(0); rank !== NO_TOKEN; rank = queue.nextRank(rank)) {
			const places = queue.take(rank);
			if (halves[2 * rank] === halves[2 * rank + 1]) places.sort();
			for (const place of places) {
				// A merge since then has taken one of the two tokens.
				if (ranks[place] !== rank) continue;
				const absorbed = next[place]!;
				const after = next[absorbed]!;
				ranks[absorbed] = NO_TOKEN;
				tokens[place] = rank;
				next[place] = after;
				if (after < length) previous[after] = place;
				count--;
				offer(place);
				if (place > 0) offer(previous[place]!);
			}
		}
		queue.release();
		return count;
	};
}

/** Lists of places by rank, taken rank by rank from the lowest one up. */
function createRankQueue(rankCount: number) {
	/** The newest entry of each rank's list; -1 where it is empty. */
	const newest = new Int32Array(rankCount).fill(-1);
	/** One bit for each rank that has entries. */
	const occupied = new Int32Array(Math.ceil(rankCount / 32));
	let places = new Int32Array(0);
	let older = new Int32Array(0);
	let taken = new Int32Array(0);
	let size = 0;
	return {
		/** Makes room for `capacity` entries. */
		reserve(capacity: number): void {
			size = 0;
			places = new Int32Array(capacity);
			older = new Int32Array(capacity);
			taken = new Int32Array(capacity);
		},
		/** Gives the room back. */
		release(): void {
			this.reserve(0);
		},
		add(rank: number, place: number): void {
			places[size] = place;
			older[size] = newest[rank]!;
			newest[rank] = size++;
			occupied[rank >> 5]! |= 1 << (rank & 31);
		},
		/** The lowest rank from `rank` on that has entries; NO_TOKEN when there is none. */
		nextRank(rank: number): number {
			for (let word = rank >> 5; word < occupied.length; word++) {
				const bits = occupied[word]!;
				if (bits !== 0) return 32 * word + 31 - Math.clz32(bits & -bits);
			}
			return NO_TOKEN;
		},
		/** Empties the list of a rank and gives its places, in the order in which they were added. */
		take(rank: number): Int32Array {
			let first = taken.length;
			for (let entry = newest[rank]!; entry >= 0; entry = older[entry]!) taken[--first] = places[entry]!;
			newest[rank] = -1;
			occupied[rank >> 5]! &= ~(1 << (rank & 31));
			return taken.subarray(first);
		},
	};
}
