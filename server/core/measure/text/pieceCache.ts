const ENTRIES = 1 << 14;
const LONGEST_BYTES = 32;

/** Remembers the counts of pieces that had to be merged, as names in code come again and again. */
export interface PieceCache {
	/** The count of the bytes from `start` up to `end`, whose hash is `hash`; 0 when it is not known. */
	get(bytes: Uint8Array, start: number, end: number, hash: number): number;
	/** Remembers a count, in the place of what had that hash; pieces over 32 bytes are not kept. */
	set(bytes: Uint8Array, start: number, end: number, hash: number, count: number): void;
}

/** A direct-mapped cache of fixed size (0.6 MB) that copies the bytes, so that it never holds a text. */
export function createPieceCache(): PieceCache {
	const pieces = new Uint8Array(ENTRIES * LONGEST_BYTES);
	const lengths = new Uint8Array(ENTRIES);
	const counts = new Uint8Array(ENTRIES);
	const entryOf = (hash: number) => (hash ^ (hash >>> 16)) & (ENTRIES - 1);
	return {
		get(bytes, start, end, hash) {
			const entry = entryOf(hash);
			if (lengths[entry] !== end - start) return 0;
			const offset = entry * LONGEST_BYTES - start;
			for (let at = start; at < end; at++) if (pieces[offset + at] !== bytes[at]) return 0;
			return counts[entry]!;
		},
		set(bytes, start, end, hash, count) {
			if (end - start > LONGEST_BYTES) return;
			const entry = entryOf(hash);
			const offset = entry * LONGEST_BYTES - start;
			for (let at = start; at < end; at++) pieces[offset + at] = bytes[at]!;
			lengths[entry] = end - start;
			counts[entry] = count;
		},
	};
}
