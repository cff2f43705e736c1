import { push } from '../columns.ts';
import { tuning } from '../tuning.ts';
import {
	cjkKind,
	classOf,
	digitKind,
	lowerKind,
	markKind,
	newlineKind,
	otherKind,
	spaceKind,
	underscoreKind,
	upperKind,
} from './characters.ts';
import { errorLine, type FactIndex, factAt, hash, identifier, number, path, urlFact } from './facts.ts';
import { afterLineNumber } from './lineNumber.ts';
import { type Mentions, mention } from './mentions.ts';
import { pushSegment, type Segments } from './segments.ts';
import { errorEnd, isErrorWord, pathEnd, urlEnd } from './shapes.ts';

/** Letters next to an underscore that make a name of it. */
const minIdentifierLetters = 3;
/** Longer names are data (base64, minified code), which nobody writes again. UTF-16 units. */
const maxNameLength = 200;
/** Shorter names and numbers appear everywhere by chance. UTF-16 units. */
const minFactLength = 3;
/** Shorter names are plain words, whatever signs are in them. UTF-16 units. */
const minIdentifierLength = 5;
/** Shorter words say little. UTF-16 units. */
const minPlainWordLength = 4;

const sentenceEnds = new Set([...'.!?'].map((end) => end.charCodeAt(0)));
const sentenceEndsOfSigns = new Set([...'。！？'].map((end) => end.charCodeAt(0)));

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
 * characters, segments by lines and plain words. `numbered`: lines may begin with a read tool's line numbers.
 */
export function scanText(
	scan: Scan,
	text: string,
	part: number,
	from: number,
	to: number,
	lineForm: 'numbered' | 'plain' | 'whole lines',
): void {
	const { facts, segments, mentions } = scan;
	const most = lineForm === 'whole lines' ? tuning.lengths.maxDataLine : tuning.lengths.maxSegment;
	let segment = -1;
	let words = 0;
	/** Errors and URLs are not cut. */
	let wholeUntil = 0;
	let errorsUntil = 0;
	let index = from;
	let lineStart = true;
	const close = (end: number) => {
		if (segment >= 0 && end > segment) pushSegment(segments, segment, end, part, words);
		segment = -1;
		words = 0;
	};
	const add = (start: number, end: number, kind: number) => {
		if (end - start > maxNameLength) return;
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
	while (index < to) {
		if (lineStart) {
			lineStart = false;
			if (lineForm === 'numbered') index = Math.min(to, afterLineNumber(text, index));
			if (index >= to) break;
		}
		const code = text.charCodeAt(index);
		const kind = classOf(code);
		if (kind === newlineKind) {
			if (segment >= 0 && lineForm === 'whole lines') close(index);
			else if (
				segment >= 0 &&
				words >= tuning.segments.minWords &&
				index - segment >= tuning.segments.minLength
			)
				close(index);
			else if (segment >= 0 && index - segment > tuning.lengths.maxSegment) close(index);
			else if (
				segment >= 0 &&
				nextLineLength(text, index + 1, to) + index - segment > tuning.lengths.maxSegment
			)
				close(index);
			lineStart = true;
			index++;
			continue;
		}
		if (kind === spaceKind) {
			if (segment >= 0 && index >= wholeUntil) {
				const length = index - segment;
				const isEnd =
					length > tuning.segments.longSentenceShare * most && sentenceEnds.has(text.charCodeAt(index - 1));
				if (isEnd || length > most) close(index);
			}
			index++;
			continue;
		}
		if (segment < 0) segment = index;
		if (kind === cjkKind) {
			const start = index;
			while (
				index < to &&
				index - start <= tuning.lengths.maxSegment &&
				classOf(text.charCodeAt(index)) === cjkKind
			)
				index++;
			words += (index - start) >> 1;
			if (index - segment > most && index >= wholeUntil) close(index);
			continue;
		}
		if (kind === otherKind) {
			index++;
			const isPairStart = (code & 0xfc00) === 0xd800;
			const isEnd =
				index - segment > tuning.segments.longSentenceOfSignsShare * most && sentenceEndsOfSigns.has(code);
			if ((isEnd || index - segment > most) && index >= wholeUntil && !isPairStart) close(index);
			continue;
		}
		const chunk = index;
		let slash = -1;
		let plain = 0;
		while (index < to) {
			const first = classOf(text.charCodeAt(index));
			if (first === markKind) {
				if (text.charCodeAt(index) === 47) slash = index;
				index++;
				continue;
			}
			if (first < lowerKind || first > underscoreKind) break;
			const start = index;
			let lower = 0;
			let upper = 0;
			let digit = 0;
			let under = 0;
			let hump = 0;
			let hex = 1;
			for (let before = 0; index < to; index++) {
				const code = text.charCodeAt(index);
				const kind = classOf(code);
				if (kind === lowerKind) {
					lower++;
					if (code > 102) hex = 0;
				} else if (kind === digitKind) digit++;
				else if (kind === upperKind) {
					upper++;
					hex = 0;
					if (before === lowerKind) hump++;
				} else if (kind === underscoreKind) {
					under++;
					hex = 0;
				} else break;
				before = kind;
			}
			const length = index - start;
			if (lower === length || (upper === 1 && lower === length - 1)) {
				if (length >= minPlainWordLength && start >= errorsUntil) plain++;
				if (length >= 4 && length <= 5 && text.charCodeAt(index) === 58) {
					const end = urlEnd(text, start, index, to);
					if (end > 0) {
						add(start, end, urlFact);
						wholeUntil = end;
					}
				}
			}
			if (length < minFactLength || length > maxNameLength) continue;
			if (digit === length) {
				let end = index;
				if (text.charCodeAt(index) === 46 && classOf(text.charCodeAt(index + 1)) === digitKind) {
					end = index + 1;
					while (end < to && classOf(text.charCodeAt(end)) === digitKind) end++;
					const after = classOf(text.charCodeAt(end));
					if (after >= lowerKind && after <= underscoreKind) end = index;
				}
				add(start, end, number);
				index = end;
				continue;
			}
			if (hex === 1 && digit > 0 && length >= 7 && length <= 40) add(start, index, hash);
			else if (
				length >= minIdentifierLength &&
				(hump > 0 || (under > 0 && lower + upper >= minIdentifierLetters))
			)
				add(start, index, identifier);
			if (start >= errorsUntil && isErrorWord(text, start, index)) {
				const end = errorEnd(text, index, to);
				if (end > 0) {
					add(start, end, errorLine);
					errorsUntil = end;
					wholeUntil = end;
				}
			}
		}
		if (slash >= 0) {
			const end = pathEnd(text, slash, index);
			let start = chunk;
			while (text.charCodeAt(start) === 47) start++;
			if (end > start) {
				add(start, end, path);
				plain = 0;
			}
		}
		words += plain;
	}
	close(to);
}

/** Length of the line at `index`, as far as it matters for joining it. */
function nextLineLength(text: string, index: number, to: number): number {
	const most = Math.min(to, index + tuning.lengths.maxSegment);
	let end = index;
	while (end < most && text.charCodeAt(end) !== 10) end++;
	return end - index;
}
