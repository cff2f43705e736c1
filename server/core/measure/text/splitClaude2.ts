import {
	findRunEnd,
	findWhitespaceEnd,
	letterClass,
	markClass,
	numberClass,
	otherClass,
	readClassAt,
} from './characterClass.ts';

/*
 * The pattern by which the Claude 2 tokenizer splits a text into pieces (`pat_str` of @anthropic-ai/tokenizer),
 * as a scanner:
 *
 *   's|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+
 */

const symbolClasses = otherClass | markClass;

const [spaceByte, apostrophe, byteS, byteT, byteM, byteD, byteL, byteR, byteV, byteE] = [..." 'stmdlrve"].map(
	(letter) => letter.charCodeAt(0),
);

/** Returns the end of the piece that starts at `start` in a text that ends at `end` (byte indexes in UTF-8). */
export function findClaude2PieceEnd(bytes: Uint8Array, start: number, end: number): number {
	const first = bytes[start];
	if (first === apostrophe) {
		const contraction = findContractionEnd(bytes, start, end);
		if (contraction > start) return contraction;
	}
	const body = first === spaceByte ? start + 1 : start;
	const characterClass = readClassAt(bytes, body, end);
	if (characterClass & letterClass) return findRunEnd(bytes, body, end, letterClass);
	if (characterClass & numberClass) return findRunEnd(bytes, body, end, numberClass);
	if (characterClass & symbolClasses) return findRunEnd(bytes, body, end, symbolClasses);
	return findWhitespaceEnd(bytes, start, end);
}

/** Returns the end of `'s|'t|'re|'ve|'m|'ll|'d` at `start`; `start` itself if none matches. */
function findContractionEnd(bytes: Uint8Array, start: number, end: number): number {
	if (start + 1 >= end) return start;
	const first = bytes[start + 1];
	if (first === byteS || first === byteT || first === byteM || first === byteD) return start + 2;
	if (start + 2 >= end) return start;
	const second = bytes[start + 2];
	const isPair =
		((first === byteR || first === byteV) && second === byteE) || (first === byteL && second === byteL);
	return isPair ? start + 3 : start;
}
