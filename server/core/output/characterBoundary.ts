import { isHighSurrogate, isLowSurrogate } from './textSize.ts';

/** Position of a user-perceived character (extended grapheme cluster), in UTF-16 units. */
interface CharacterSpan {
	start: number;
	end: number;
}

const initialReachUnits = 64;
/** Maximum length of a grapheme cluster that is kept whole. Longer clusters may be split between code points. */
const maxReachUnits = 1 << 16;
/** Length after a truncated start in which character clusters, such as flags, may be misread. UTF-16 units. */
const unsureUnits = 32;

let segmenter: Intl.Segmenter | undefined;

/** Returns the segmenter, created on first use: loading its tables takes longer than most of the program. */
function getSegmenter(): Intl.Segmenter {
	segmenter ??= new Intl.Segmenter('en', { granularity: 'grapheme' });
	return segmenter;
}

/**
 * Returns `index`, or the nearest position on the given side of it, that splits no user-perceived character (extended
 * grapheme cluster). UTF-16 units; reads only nearby text.
 */
export function findCharacterBoundary(text: string, index: number, side: 'before' | 'after'): number {
	const character = findCharacterAround(text, index);
	return side === 'before' ? character.start : character.end;
}

/**
 * Returns the character that contains the unit at `index`, or an empty span if a character starts there. Reads only
 * nearby text, so the cost does not depend on the text's length.
 */
function findCharacterAround(text: string, index: number): CharacterSpan {
	if (index <= 0 || index >= text.length) return { start: index, end: index };
	if (isPlainBoundary(text, index)) return { start: index, end: index };
	for (let reachUnits = initialReachUnits; reachUnits <= maxReachUnits; reachUnits *= 4) {
		const from = findWindowStart(text, index - reachUnits);
		const to = Math.min(text.length, index + reachUnits);
		const segment = getSegmenter()
			.segment(text.slice(from, to))
			.containing(index - from);
		if (segment === undefined) break;
		const start = from + segment.index;
		const end = start + segment.segment.length;
		const isStartSure = from === 0 || segment.index >= unsureUnits;
		const isEndSure = to === text.length || end < to - 1;
		if (isStartSure && start === index) return { start, end: start };
		if (isStartSure && isEndSure) return { start, end };
	}
	return findCodePointAround(text, index);
}

function findCodePointAround(text: string, index: number): CharacterSpan {
	const isInsidePair = isHighSurrogate(text.charCodeAt(index - 1)) && isLowSurrogate(text.charCodeAt(index));
	return isInsidePair ? { start: index - 1, end: index + 1 } : { start: index, end: index };
}

/** Whether the characters on both sides of a position never combine with others. */
function isPlainBoundary(text: string, index: number): boolean {
	const unitBefore = text.charCodeAt(index - 1);
	const unitAfter = text.charCodeAt(index);
	if (unitBefore === 0x0d && unitAfter === 0x0a) return false;
	return isNeverJoined(unitBefore) && isNeverJoined(unitAfter);
}

/** Whether a unit never combines with others: ASCII, Latin, kana and Han, but no combining marks. */
function isNeverJoined(unit: number): boolean {
	if (unit < 0x80) return true;
	if (unit >= 0xc0 && unit <= 0x24f) return true;
	if (unit >= 0x3041 && unit <= 0x3096) return true;
	return (unit >= 0x30a1 && unit <= 0x30fa) || (unit >= 0x4e00 && unit <= 0x9fff);
}

/**
 * Returns the start of a window that splits neither a surrogate pair nor a run of flags. The regional indicators of flags
 * pair up from the start of a run.
 */
function findWindowStart(text: string, index: number): number {
	if (index <= 0) return 0;
	let start = isLowSurrogate(text.charCodeAt(index)) ? index - 1 : index;
	const minStart = Math.max(0, start - maxReachUnits);
	while (start - 2 >= minStart && isRegionalIndicator(text, start) && isRegionalIndicator(text, start - 2))
		start -= 2;
	return start;
}

function isRegionalIndicator(text: string, index: number): boolean {
	const nextUnit = text.charCodeAt(index + 1);
	return text.charCodeAt(index) === 0xd83c && nextUnit >= 0xdde6 && nextUnit <= 0xddff;
}
