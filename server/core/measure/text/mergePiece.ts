import { createLongPieceMerger } from './mergeLongPiece.ts';
import { type MergePiece, mergedToken, NO_TOKEN, type RankTable } from './rankTable.ts';

/** Above this many bytes, looking through all pairs for the lowest one costs more than lists of them. */
const SHORT_PIECE_BYTES = 32;

/**
 * The merge step of BPE: of all neighbours that merge, those with the lowest rank are merged first, the
 * leftmost among equals, until none merge. The time is linear in the length of the piece.
 */
export function createPieceMerger(table: RankTable): MergePiece {
	const mergeLongPiece = createLongPieceMerger(table);
	const tokens = new Int32Array(SHORT_PIECE_BYTES);
	const ranks = new Int32Array(SHORT_PIECE_BYTES);

	function mergeShortPiece(bytes: Uint8Array, start: number, end: number): number {
		let count = end - start;
		for (let i = 0; i < count; i++) tokens[i] = table.byteTokens[bytes[start + i]!]!;
		for (let i = 0; i + 1 < count; i++) ranks[i] = mergedToken(table, tokens[i]!, tokens[i + 1]!);
		for (; ; count--) {
			let lowest = NO_TOKEN;
			let at = 0;
			for (let i = 0; i + 1 < count; i++) {
				if (ranks[i]! < lowest) {
					lowest = ranks[i]!;
					at = i;
				}
			}
			if (lowest === NO_TOKEN) return count;
			tokens[at] = lowest;
			for (let i = at + 1; i + 1 < count; i++) {
				tokens[i] = tokens[i + 1]!;
				ranks[i] = ranks[i + 1]!;
			}
			if (at > 0) ranks[at - 1] = mergedToken(table, tokens[at - 1]!, lowest);
			if (at + 2 < count) ranks[at] = mergedToken(table, lowest, tokens[at + 1]!);
		}
	}

	return (bytes, start, end) =>
		end - start <= SHORT_PIECE_BYTES ? mergeShortPiece(bytes, start, end) : mergeLongPiece(bytes, start, end);
}
