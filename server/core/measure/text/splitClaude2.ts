import { classAt, LETTER, MARK, NUMBER, OTHER, runEnd, whitespaceEnd } from './characterClass.ts';

/*
 * The pattern by which the Claude 2 tokenizer cuts a text into pieces (`pat_str` of @anthropic-ai/tokenizer),
 * as a scanner:
 *
 *   's|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+
 */

const SYMBOL = OTHER | MARK;

const [SPACE_BYTE, APOSTROPHE, S, T, M, D, L, R, V, E] = [..." 'stmdlrve"].map((letter) =>
	letter.charCodeAt(0),
);

/** The end of the piece that begins at `start` in a text that ends at `end` (indexes in bytes of UTF-8). */
export function claude2PieceEnd(bytes: Uint8Array, start: number, end: number): number {
	const first = bytes[start];
	if (first === APOSTROPHE) {
		const contraction = contractionEnd(bytes, start, end);
		if (contraction > start) return contraction;
	}
	const body = first === SPACE_BYTE ? start + 1 : start;
	const found = classAt(bytes, body, end);
	if (found & LETTER) return runEnd(bytes, body, end, LETTER);
	if (found & NUMBER) return runEnd(bytes, body, end, NUMBER);
	if (found & SYMBOL) return runEnd(bytes, body, end, SYMBOL);
	return whitespaceEnd(bytes, start, end);
}

/** The end of `'s|'t|'re|'ve|'m|'ll|'d` at `start`; `start` itself where none of them stands. */
function contractionEnd(bytes: Uint8Array, start: number, end: number): number {
	if (start + 1 >= end) return start;
	const first = bytes[start + 1];
	if (first === S || first === T || first === M || first === D) return start + 2;
	if (start + 2 >= end) return start;
	const second = bytes[start + 2];
	const isPair = ((first === R || first === V) && second === E) || (first === L && second === L);
	return isPair ? start + 3 : start;
}
