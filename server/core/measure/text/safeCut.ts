import { classOf, LETTER, MARK, NUMBER } from './characterClass.ts';

const APOSTROPHE = 0x27;

/**
 * Whether a text may be cut before the character at `index` (UTF-16 units) and its parts counted apart
 * without changing the sum. It may after a letter or a digit, before anything that is neither a mark, an
 * apostrophe nor of the same kind.
 *
 * Proof, for both patterns: after a letter a piece goes on with letters, marks or a contraction alone,
 * after a digit with digits alone, and no alternative has white space or a symbol behind either. So the
 * pieces end there with the rest of the text and without it, and no pattern looks back over its start.
 */
function isSafe(text: string, index: number): boolean {
	const before = text.charCodeAt(index - 1);
	const after = text.charCodeAt(index);
	// Halves of a pair are of no kind of their own; no safe cut is looked for beside them.
	if ((before & 0xf800) === 0xd800 || (after & 0xf800) === 0xd800 || after === APOSTROPHE) return false;
	const kindBefore = kindOf(before);
	const kindAfter = kindOf(after);
	return kindBefore !== 0 && kindAfter !== MARK && kindAfter !== kindBefore;
}

function kindOf(unit: number): number {
	const found = classOf(unit);
	if (found & LETTER) return LETTER;
	return found & (NUMBER | MARK);
}

/**
 * The end (UTF-16 units) of the part of `text` that begins at `start` and can be counted by itself: about
 * `size` units, and more only where nothing in them allows a cut.
 */
export function partEnd(text: string, start: number, size: number): number {
	if (text.length - start <= size) return text.length;
	for (let index = start + size; index > start; index--) if (isSafe(text, index)) return index;
	for (let index = start + size + 1; index < text.length; index++) if (isSafe(text, index)) return index;
	return text.length;
}
