import { NO_TOKEN } from './rankTable.ts';

/** Lists of places by rank, taken rank by rank from the lowest one up. */
export interface RankQueue {
	/** Makes room for `capacity` places in all. The queue must be empty. */
	reserve(capacity: number): void;
	add(rank: number, place: number): void;
	/** The lowest rank from `rank` on that has places; `NO_TOKEN` when there is none. */
	nextRank(rank: number): number;
	/** Takes away the places of a rank, in the order in which they were added; valid until the next call. */
	take(rank: number): Int32Array;
}

/** Room for this many places is kept from one use to the next. */
const KEPT_CAPACITY = 1 << 13;

/** An empty queue for ranks below `rankCount`. Nothing in it takes longer than the places that it holds. */
export function createRankQueue(rankCount: number): RankQueue {
	/** The newest entry of each rank's list; -1 where it is empty. */
	const newest = new Int32Array(rankCount).fill(-1);
	/** One bit for each rank that has entries, and one for each word of those bits that is not 0. */
	const ranks = new Int32Array((rankCount >> 5) + 1);
	const words = new Int32Array((ranks.length >> 5) + 1);
	const kept = allocateEntries(KEPT_CAPACITY);
	let entries = kept;
	let size = 0;
	return {
		reserve(capacity) {
			size = 0;
			entries = capacity <= KEPT_CAPACITY ? kept : allocateEntries(capacity);
		},
		add(rank, place) {
			entries.places[size] = place;
			entries.older[size] = newest[rank]!;
			newest[rank] = size++;
			ranks[rank >> 5]! |= 1 << (rank & 31);
			words[rank >> 10]! |= 1 << ((rank >> 5) & 31);
		},
		nextRank(rank) {
			for (let group = rank >> 10; group < words.length; group++) {
				if (words[group] === 0) continue;
				const word = 32 * group + lowestBit(words[group]!);
				return 32 * word + lowestBit(ranks[word]!);
			}
			return NO_TOKEN;
		},
		take(rank) {
			const { places, older, taken } = entries;
			let first = taken.length;
			for (let entry = newest[rank]!; entry >= 0; entry = older[entry]!) taken[--first] = places[entry]!;
			newest[rank] = -1;
			ranks[rank >> 5]! &= ~(1 << (rank & 31));
			if (ranks[rank >> 5] === 0) words[rank >> 10]! &= ~(1 << ((rank >> 5) & 31));
			return taken.subarray(first);
		},
	};
}

function allocateEntries(capacity: number) {
	return {
		places: new Int32Array(capacity),
		/** The entry that was added before to the list of the same rank; -1 for the first one. */
		older: new Int32Array(capacity),
		taken: new Int32Array(capacity),
	};
}

/** The number of the lowest bit that is set. */
function lowestBit(bits: number): number {
	return 31 - Math.clz32(bits & -bits);
}
