/** Finds the facts and segments of a text in one pass over its characters. */

import { tuning } from '../../compact/tuning.ts';
import { isCodeLine } from './codeLines.ts';
import { hashRange } from './hashes.ts';
import { skipLineNumber } from './lineNumbers.ts';
import {
	cjkCharacter,
	classifyCharacter,
	digitCharacter,
	findErrorEnd,
	findPathEnd,
	findUrlEnd,
	isErrorWord,
	lowerCaseLetter,
	markCharacter,
	newlineCharacter,
	spaceCharacter,
	unclassedCharacter,
	underscoreCharacter,
	upperCaseLetter,
} from './shapes.ts';

/** Kind of a fact. A fact is a name or number that an agent must repeat exactly, and that a paraphrase would lose. */
export type FactKind = 'identifier' | 'path' | 'number' | 'hash' | 'url' | 'error';

/**
 * The distinct facts of a session, each with its number. They are compared by 52-bit hashes and never stored as text,
 * because a slice of a message would keep the whole message in memory.
 */
export interface FactNumbers {
	/** The number of each fact, by its hash. */
	numbers: Map<number, number>;
	/** The kind of each fact, by its number. */
	kinds: FactKind[];
}

/** Returns the number of the fact at `from..to` (UTF-16 units) of a text. A new fact gets a new number. */
export function internFact(
	{ numbers, kinds }: FactNumbers,
	text: string,
	{ from, to }: { from: number; to: number },
	kind: FactKind,
): number {
	const key = hashRange(text, from, to);
	const fact = numbers.get(key);
	if (fact !== undefined) return fact;
	numbers.set(key, kinds.length);
	return kinds.push(kind) - 1;
}

/** Minimum number of letters next to an underscore in an identifier. */
const minIdentifierLetters = 3;
/** Longer names are data (base64, minified code) and not facts. UTF-16 units. */
const maxNameLength = 200;
/** Shorter names and numbers appear everywhere by chance. UTF-16 units. */
const minFactLength = 3;
/** Shorter names count as plain words. UTF-16 units. */
const minIdentifierLength = 5;
/** Shorter words are not counted. UTF-16 units. */
const minPlainWordLength = 4;

/** Share of the maximum segment length after which a sentence's end also ends the segment. CJK texts are denser. */
const longSentenceShare = { spaced: 0.5, cjk: 0.15 } as const;

const sentenceEnds = new Set([...'.!?'].map((end) => end.charCodeAt(0)));
const cjkSentenceEnds = new Set([...'。！？'].map((end) => end.charCodeAt(0)));

/** The smallest unit that can be quoted: one or a few lines, with enough plain words to be understood alone. */
export interface TextSegment {
	/** Index of the segment's text in `listSourceTexts(source)`. */
	partIndex: number;
	/** Range of the segment in that text. UTF-16 units. */
	from: number;
	to: number;
	/** Number of plain words in the segment. */
	wordCount: number;
	/** Numbers of the segment's distinct facts. */
	facts: readonly number[];
}

/** Form of a text's lines: `numbered` may begin with a read tool's line numbers; `whole lines` are not joined. */
export type LineForm = 'numbered' | 'plain' | 'whole lines';

/** The part of a message to read. UTF-16 units. */
interface ScanRange {
	/** Index in `listSourceTexts(source)`. */
	partIndex?: number;
	/** Index in the text where the calls begin. */
	callsFrom?: number;
	from?: number;
	to?: number;
}

/** The shape of a word: its number of characters of each class. */
interface WordShape {
	length: number;
	lower: number;
	upper: number;
	digits: number;
	underscores: number;
	/** Number of lower-case letters that a capital follows. */
	humps: number;
	isHex: boolean;
}

/** Scans the texts of one message; each scan adds to `segments` and the facts. */
export class TextScanner {
	readonly segments: TextSegment[] = [];
	/** Distinct facts of the message's text. */
	readonly ownFacts = new Set<number>();
	/** Distinct facts of the message's calls. */
	readonly callFacts = new Set<number>();
	private readonly factNumbers: FactNumbers;
	private readonly form: LineForm;
	private readonly maxLength: number;
	private text = '';
	private partIndex = 0;
	private callsFrom = 0;
	private to = 0;
	/** Start of the open segment, in UTF-16 units; -1 if there is none. */
	private segmentStart = -1;
	/** Plain words of the open segment so far, like `facts`. */
	private wordCount = 0;
	private facts: number[] = [];
	/** No segment ends before this position, because error messages, URLs and lines of code are not split. */
	private unsplittableUntil = 0;
	private errorsUntil = 0;
	/** End of the last line that was searched for code. */
	private codeCheckedUntil = 0;

	constructor(factNumbers: FactNumbers, form: LineForm) {
		this.factNumbers = factNumbers;
		this.form = form;
		this.maxLength = form === 'whole lines' ? tuning.lengths.maxDataLine : tuning.lengths.maxSegment;
	}

	/** Scans a range of a text, by default the whole text; calls begin at `callsFrom`. Linear. */
	scan(
		text: string,
		{ partIndex = 0, callsFrom = text.length, from = 0, to = text.length }: ScanRange = {},
	): void {
		this.text = text;
		this.partIndex = partIndex;
		this.callsFrom = callsFrom;
		this.to = to;
		this.unsplittableUntil = 0;
		this.errorsUntil = 0;
		this.codeCheckedUntil = 0;
		let index = from;
		let isLineStart = true;
		while (index < to) {
			if (isLineStart && this.form === 'numbered') index = Math.min(to, skipLineNumber(text, index));
			if (index >= to) break;
			const kind = classifyCharacter(text.charCodeAt(index));
			isLineStart = kind === newlineCharacter;
			if (kind === newlineCharacter) this.endLine(index++);
			else if (kind === spaceCharacter) this.endWord(index++);
			else {
				if (this.segmentStart < 0) this.segmentStart = index;
				if (kind === cjkCharacter) index = this.readCjkRun(index);
				else if (kind === unclassedCharacter) this.endCharacter(index++);
				else index = this.readNames(index);
			}
		}
		this.closeSegment(to);
	}

	private closeSegment(end: number): void {
		if (this.segmentStart >= 0 && end > this.segmentStart) {
			const { partIndex, segmentStart: from, wordCount, facts } = this;
			this.segments.push({ partIndex, from, to: end, wordCount, facts });
			this.facts = [];
		}
		this.segmentStart = -1;
		this.wordCount = 0;
	}

	private endLine(index: number): void {
		if (this.segmentStart < 0) return;
		const length = index - this.segmentStart;
		const { minWords, minLength } = tuning.segments;
		const isEnough = this.wordCount >= minWords && length >= minLength;
		// Each call has its own outcome.
		const isBeforeCall = this.partIndex === 0 && index >= this.callsFrom - 1;
		if (
			this.form === 'whole lines' ||
			isEnough ||
			isBeforeCall ||
			length + this.nextLineLength(index + 1) > tuning.lengths.maxSegment
		)
			this.closeSegment(index);
	}

	/** Returns the length of the rest of the line at `index`, up to the maximum length of a segment. */
	private nextLineLength(index: number): number {
		const maxEnd = Math.min(this.to, index + tuning.lengths.maxSegment);
		let end = index;
		while (end < maxEnd && this.text.charCodeAt(end) !== 10) end++;
		return end - index;
	}

	private endWord(index: number): void {
		if (this.segmentStart < 0 || index < this.unsplittableUntil) return;
		const length = index - this.segmentStart;
		const isEnd =
			length > longSentenceShare.spaced * this.maxLength && sentenceEnds.has(this.text.charCodeAt(index - 1));
		// The last words of a line would say nothing without its beginning.
		const isFull = length > this.maxLength && this.nextLineLength(index) >= tuning.segments.minLength;
		if ((isEnd || isFull) && !this.isInCode(index)) this.closeSegment(index);
	}

	/** Reads a run of CJK characters, two of which count as a word; returns its end. */
	private readCjkRun(from: number): number {
		let index = from;
		while (
			index < this.to &&
			index - from <= tuning.lengths.maxSegment &&
			classifyCharacter(this.text.charCodeAt(index)) === cjkCharacter
		)
			index++;
		this.wordCount += (index - from) >> 1;
		if (index - this.segmentStart > this.maxLength && index >= this.unsplittableUntil)
			this.closeSegment(index);
		return index;
	}

	private endCharacter(index: number): void {
		const code = this.text.charCodeAt(index);
		const isPairStart = (code & 0xfc00) === 0xd800;
		const length = index + 1 - this.segmentStart;
		const isEnd = length > longSentenceShare.cjk * this.maxLength && cjkSentenceEnds.has(code);
		const maySplit = (isEnd || length > this.maxLength) && index + 1 >= this.unsplittableUntil;
		if (maySplit && !isPairStart && !this.isInCode(index)) this.closeSegment(index + 1);
	}

	/** Whether a position is in a line of code or in the head of a call, which are not split. Each line is searched once. */
	private isInCode(index: number): boolean {
		if (index < this.codeCheckedUntil || this.form === 'whole lines') return false;
		const from = this.text.lastIndexOf('\n', index - 1) + 1;
		const end = this.text.indexOf('\n', index);
		this.codeCheckedUntil = end < 0 ? this.to : end;
		const isHead =
			this.partIndex === 0 &&
			from >= this.callsFrom &&
			this.codeCheckedUntil - from <= tuning.lengths.maxDataLine;
		const isCode = isHead || isCodeLine(this.text.slice(from, this.codeCheckedUntil).trim());
		if (isCode) this.unsplittableUntil = this.codeCheckedUntil;
		return isCode;
	}

	private addFact(from: number, to: number, kind: FactKind): void {
		if (to - from > maxNameLength) return;
		const fact = internFact(this.factNumbers, this.text, { from, to }, kind);
		(from >= this.callsFrom ? this.callFacts : this.ownFacts).add(fact);
		if (!this.facts.includes(fact)) this.facts.push(fact);
	}

	/** Reads a run of words, and of marks that join words to paths; returns its end. */
	private readNames(from: number): number {
		const { text, to } = this;
		let index = from;
		let slash = -1;
		let plainCount = 0;
		while (index < to) {
			const kind = classifyCharacter(text.charCodeAt(index));
			if (kind === markCharacter) {
				if (text.charCodeAt(index) === 47) slash = index;
				index++;
				continue;
			}
			if (kind < lowerCaseLetter || kind > underscoreCharacter) break;
			const shape = this.readShapeAt(index);
			const { length, lower, upper, digits } = shape;
			const start = index;
			index += length;
			if (lower === length || (upper === 1 && lower === length - 1)) {
				if (length >= minPlainWordLength && start >= this.errorsUntil) plainCount++;
				if (length >= 4 && length <= 5 && text.charCodeAt(index) === 58) this.addUrl(start, index);
			}
			if (length < minFactLength || length > maxNameLength) continue;
			if (digits === length) index = this.addNumber(start, index);
			else this.addName(start, index, shape);
		}
		if (slash >= 0 && this.addPath(from, slash, index)) plainCount = 0;
		this.wordCount += plainCount;
		return index;
	}

	private readShapeAt(start: number): WordShape {
		const shape = { length: 0, lower: 0, upper: 0, digits: 0, underscores: 0, humps: 0, isHex: true };
		let index = start;
		for (let before = 0; index < this.to; index++) {
			const code = this.text.charCodeAt(index);
			const kind = classifyCharacter(code);
			if (kind === lowerCaseLetter) {
				shape.lower++;
				if (code > 102) shape.isHex = false;
			} else if (kind === digitCharacter) shape.digits++;
			else if (kind === upperCaseLetter) {
				shape.upper++;
				shape.isHex = false;
				if (before === lowerCaseLetter) shape.humps++;
			} else if (kind === underscoreCharacter) {
				shape.underscores++;
				shape.isHex = false;
			} else break;
			before = kind;
		}
		shape.length = index - start;
		return shape;
	}

	private addUrl(start: number, colon: number): void {
		const end = findUrlEnd(this.text, start, colon, this.to);
		if (end <= 0) return;
		this.addFact(start, end, 'url');
		this.unsplittableUntil = end;
	}

	/** Adds a number with its decimals; returns its end. */
	private addNumber(start: number, intEnd: number): number {
		const { text, to } = this;
		let end = intEnd;
		if (text.charCodeAt(intEnd) === 46 && classifyCharacter(text.charCodeAt(intEnd + 1)) === digitCharacter) {
			end = intEnd + 1;
			while (end < to && classifyCharacter(text.charCodeAt(end)) === digitCharacter) end++;
			const after = classifyCharacter(text.charCodeAt(end));
			if (after >= lowerCaseLetter && after <= underscoreCharacter) end = intEnd;
		}
		this.addFact(start, end, 'number');
		return end;
	}

	private addName(start: number, end: number, shape: WordShape): void {
		const { length, lower, upper, digits, underscores, humps, isHex } = shape;
		const isIdentifier = humps > 0 || (underscores > 0 && lower + upper >= minIdentifierLetters);
		if (isHex && digits > 0 && length >= 7 && length <= 40) this.addFact(start, end, 'hash');
		else if (length >= minIdentifierLength && isIdentifier) this.addFact(start, end, 'identifier');
		if (start < this.errorsUntil || !isErrorWord(this.text, start, end)) return;
		const messageEnd = findErrorEnd(this.text, end, this.to);
		if (messageEnd <= 0) return;
		this.addFact(start, messageEnd, 'error');
		this.errorsUntil = messageEnd;
		this.unsplittableUntil = messageEnd;
	}

	private addPath(from: number, slash: number, to: number): boolean {
		const end = findPathEnd(this.text, slash, to);
		let start = from;
		while (this.text.charCodeAt(start) === 47) start++;
		if (end <= start) return false;
		this.addFact(start, end, 'path');
		return true;
	}
}

/** Returns the distinct facts of a text that is not a message, in the order of their first appearance. */
export function findFacts(factNumbers: FactNumbers, text: string): number[] {
	const scanner = new TextScanner(factNumbers, 'plain');
	scanner.scan(text);
	return [...scanner.ownFacts];
}
