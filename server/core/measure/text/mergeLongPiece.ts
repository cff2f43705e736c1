import { createRankQueue } from './rankQueue.ts';
import { type MergePiece, mergedToken, NO_TOKEN, type RankTable } from './rankTable.ts';

/** Pieces up to this many bytes share one workspace. */
const SHARED_WORKSPACE_BYTES = 2048;

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
	const shared = allocateWorkspace(SHARED_WORKSPACE_BYTES);

	return (bytes, start, end) => {
		const length = end - start;
		const workspace = length <= SHARED_WORKSPACE_BYTES ? shared : allocateWorkspace(length);
		const { tokens, next, previous, ranks } = workspace;
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
		return count;
	};
}

/** What is known of the token that begins at each place of a piece: the list of them is doubly linked. */
function allocateWorkspace(length: number) {
	return {
		tokens: new Int32Array(length),
		next: new Int32Array(length),
		previous: new Int32Array(length),
		/** The rank of the merge with the next token. */
		ranks: new Int32Array(length),
	};
}
