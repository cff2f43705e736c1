import { CJK, classOf, DIGIT, LOWER, MARK, NEWLINE, OTHER, SPACE, UNDERSCORE, UPPER } from './characters.ts';
import { push } from './columns.ts';
import { ERROR_LINE, type FactIndex, factAt, HASH, IDENTIFIER, NUMBER, PATH, URL_FACT } from './facts.ts';
import { gutterEnd } from './gutter.ts';
import { type Mentions, mention } from './mentions.ts';
import { pushSegment, type Segments } from './segments.ts';
import { errorEnd, isErrorWord, pathEnd, urlEnd } from './shapes.ts';

/** A line is joined with the next until it has this many plain words and characters. */
const ENOUGH_WORDS = 3;
const ENOUGH_CHARACTERS = 50;
/** Lines are not joined beyond this; a longer line is cut at the next space. */
const LONGEST = 220;
/** Lines that hold one object each are kept whole up to this. */
const LONGEST_WHOLE = 400;
/** Longer names are data (base64, minified code), which nobody writes again. */
const LONGEST_NAME = 200;

/** What a scan reads and where its findings go. */
export interface Scan {
	facts: FactIndex;
	segments: Segments;
	mentions: Mentions;
	/** Per fact: the segment that held it last, plus one; keeps a fact once a segment. */
	stamps: Int32Array;
}

/**
 * Reads `from..to` (UTF-16 units) of one part's text in a single pass: facts by the classes of the
 * characters, segments by lines and plain words. `gutter`: lines may begin with a read tool's line numbers.
 */
export function scanText(
	scan: Scan,
	text: string,
	part: number,
	from: number,
	to: number,
	gutter: 'gutter' | 'plain' | 'whole lines',
): void {
	const { facts, segments, mentions } = scan;
	const most = gutter === 'whole lines' ? LONGEST_WHOLE : LONGEST;
	let segment = -1;
	let words = 0;
	/** Errors and URLs are not cut. */
	let wholeUntil = 0;
	let errorsUntil = 0;
	let at = from;
	let lineStart = true;
	const close = (end: number) => {
		if (segment >= 0 && end > segment) pushSegment(segments, segment, end, part, words);
		segment = -1;
		words = 0;
	};
	const add = (start: number, end: number, kind: number) => {
		if (end - start > LONGEST_NAME) return;
		const fact = factAt(facts, text, start, end, kind);
		if (fact >= scan.stamps.length) {
			const wider = new Int32Array(scan.stamps.length * 2);
			wider.set(scan.stamps);
			scan.stamps = wider;
		}
		mention(mentions, fact, start);
		const stamp = segments.from.length + 1;
		if (scan.stamps[fact] === stamp) return;
		scan.stamps[fact] = stamp;
		push(segments.facts, fact);
	};
	while (at < to) {
		if (lineStart) {
			lineStart = false;
			if (gutter === 'gutter') at = Math.min(to, gutterEnd(text, at));
			if (at >= to) break;
		}
		const code = text.charCodeAt(at);
		const kind = classOf(code);
		if (kind === NEWLINE) {
			if (segment >= 0 && gutter === 'whole lines') close(at);
			else if (segment >= 0 && words >= ENOUGH_WORDS && at - segment >= ENOUGH_CHARACTERS) close(at);
			else if (segment >= 0 && at - segment > LONGEST) close(at);
			else if (segment >= 0 && nextLineLength(text, at + 1, to) + at - segment > LONGEST) close(at);
			lineStart = true;
			at++;
			continue;
		}
		if (kind === SPACE) {
			if (segment >= 0 && at - segment > most && at >= wholeUntil) close(at);
			at++;
			continue;
		}
		if (segment < 0) segment = at;
		if (kind === CJK) {
			const start = at;
			while (at < to && at - start <= LONGEST && classOf(text.charCodeAt(at)) === CJK) at++;
			words += (at - start) >> 1;
			if (at - segment > most && at >= wholeUntil) close(at);
			continue;
		}
		if (kind === OTHER) {
			at++;
			const isPairStart = (code & 0xfc00) === 0xd800;
			if (at - segment > most && at >= wholeUntil && !isPairStart) close(at);
			continue;
		}
		const chunk = at;
		let slash = -1;
		let plain = 0;
		while (at < to) {
			const first = classOf(text.charCodeAt(at));
			if (first === MARK) {
				if (text.charCodeAt(at) === 47) slash = at;
				at++;
				continue;
			}
			if (first < LOWER || first > UNDERSCORE) break;
			const start = at;
			let lower = 0;
			let upper = 0;
			let digit = 0;
			let under = 0;
			let hump = 0;
			let hex = 1;
			for (let before = 0; at < to; at++) {
				const code = text.charCodeAt(at);
				const kind = classOf(code);
				if (kind === LOWER) {
					lower++;
					if (code > 102) hex = 0;
				} else if (kind === DIGIT) digit++;
				else if (kind === UPPER) {
					upper++;
					hex = 0;
					if (before === LOWER) hump++;
				} else if (kind === UNDERSCORE) {
					under++;
					hex = 0;
				} else break;
				before = kind;
			}
			const length = at - start;
			if (lower === length || (upper === 1 && lower === length - 1)) {
				if (length >= 4 && start >= errorsUntil) plain++;
				if (length >= 4 && length <= 5 && text.charCodeAt(at) === 58) {
					const end = urlEnd(text, start, at, to);
					if (end > 0) {
						add(start, end, URL_FACT);
						wholeUntil = end;
					}
				}
			}
			if (length < 3 || length > LONGEST_NAME) continue;
			if (digit === length) {
				let end = at;
				if (text.charCodeAt(at) === 46 && classOf(text.charCodeAt(at + 1)) === DIGIT) {
					end = at + 1;
					while (end < to && classOf(text.charCodeAt(end)) === DIGIT) end++;
					const after = classOf(text.charCodeAt(end));
					if (after >= LOWER && after <= UNDERSCORE) end = at;
				}
				add(start, end, NUMBER);
				at = end;
				continue;
			}
			if (hex === 1 && digit > 0 && length >= 7 && length <= 40) add(start, at, HASH);
			else if (length >= 5 && (hump > 0 || (under > 0 && lower + upper > 2))) add(start, at, IDENTIFIER);
			if (start >= errorsUntil && isErrorWord(text, start, at)) {
				const end = errorEnd(text, at, to);
				if (end > 0) {
					add(start, end, ERROR_LINE);
					errorsUntil = end;
					wholeUntil = end;
				}
			}
		}
		if (slash >= 0) {
			const end = pathEnd(text, slash, at);
			let start = chunk;
			while (text.charCodeAt(start) === 47) start++;
			if (end > start) {
				add(start, end, PATH);
				plain = 0;
			}
		}
		words += plain;
	}
	close(to);
}

/** Length of the line at `at`, as far as it matters for joining it. */
function nextLineLength(text: string, at: number, to: number): number {
	const most = Math.min(to, at + LONGEST);
	let end = at;
	while (end < most && text.charCodeAt(end) !== 10) end++;
	return end - at;
}
