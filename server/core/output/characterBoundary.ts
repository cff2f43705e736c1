import { isHighSurrogate, isLowSurrogate } from './textSize.ts';

/** Where a character as a reader sees it (an extended grapheme cluster) lies, in UTF-16 units. */
interface CharacterSpan {
	start: number;
	end: number;
}

const firstReachUnits = 64;
/** A cluster longer than this is no character that anybody wrote; only code points are kept whole in it. */
const longestReachUnits = 1 << 16;
/** What comes right after a cut-off start can be joined wrongly for this far: flags, families, conjuncts. */
const unsureUnits = 32;

let segmenter: Intl.Segmenter | undefined;

/** Made when it is first needed: its tables take longer to load than most of the program. */
function graphemes(): Intl.Segmenter {
	segmenter ??= new Intl.Segmenter('en', { granularity: 'grapheme' });
	return segmenter;
}

/**
 * The place nearest to `index`, at it or on the given side of it, where no character as a reader sees it
 * (an extended grapheme cluster) is cut in two. UTF-16 units; looks at the neighbourhood alone.
 */
export function cutAtGrapheme(text: string, index: number, side: 'before' | 'after'): number {
	const character = characterAround(text, index);
	return side === 'before' ? character.start : character.end;
}

/**
 * The character that holds the unit at `index`, or an empty span at `index` where a character starts there.
 * Looks only at the neighbourhood, so the cost does not depend on the length of the text.
 */
export function characterAround(text: string, index: number): CharacterSpan {
	if (index <= 0 || index >= text.length) return { start: index, end: index };
	if (isPlainBoundary(text, index)) return { start: index, end: index };
	for (let reach = firstReachUnits; reach <= longestReachUnits; reach *= 4) {
		const from = windowStart(text, index - reach);
		const to = Math.min(text.length, index + reach);
		const segment = graphemes()
			.segment(text.slice(from, to))
			.containing(index - from);
		if (segment === undefined) break;
		const start = from + segment.index;
		const end = start + segment.segment.length;
		const startIsSure = from === 0 || segment.index >= unsureUnits;
		const endIsSure = to === text.length || end < to - 1;
		if (startIsSure && start === index) return { start, end: start };
		if (startIsSure && endIsSure) return { start, end };
	}
	return codePointAround(text, index);
}

function codePointAround(text: string, index: number): CharacterSpan {
	const insidePair = isHighSurrogate(text.charCodeAt(index - 1)) && isLowSurrogate(text.charCodeAt(index));
	return insidePair ? { start: index - 1, end: index + 1 } : { start: index, end: index };
}

/** Between two of these no cluster ever joins, so nothing further has to be looked at. */
function isPlainBoundary(text: string, index: number): boolean {
	const before = text.charCodeAt(index - 1);
	const after = text.charCodeAt(index);
	if (before === 0x0d && after === 0x0a) return false;
	return standsAlone(before) && standsAlone(after);
}

/** ASCII, Latin, kana and Han without combining marks. */
function standsAlone(unit: number): boolean {
	if (unit < 0x80) return true;
	if (unit >= 0xc0 && unit <= 0x24f) return true;
	if (unit >= 0x3041 && unit <= 0x3096) return true;
	return (unit >= 0x30a1 && unit <= 0x30fa) || (unit >= 0x4e00 && unit <= 0x9fff);
}

/** Flags pair up from the start of their run, so a window must not start inside one, nor inside a pair. */
function windowStart(text: string, wanted: number): number {
	if (wanted <= 0) return 0;
	let start = isLowSurrogate(text.charCodeAt(wanted)) ? wanted - 1 : wanted;
	const furthest = Math.max(0, start - longestReachUnits);
	while (start - 2 >= furthest && isRegionalIndicator(text, start) && isRegionalIndicator(text, start - 2)) {
		start -= 2;
	}
	return start;
}

function isRegionalIndicator(text: string, index: number): boolean {
	const second = text.charCodeAt(index + 1);
	return text.charCodeAt(index) === 0xd83c && second >= 0xdde6 && second <= 0xddff;
}
