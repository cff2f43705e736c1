/** Prose in pieces that can be kept or left alone: sentences, items of lists, rows of tables. */

import { tuning, workLimits } from '../tuning.ts';
import { extentOf, firstOfExtent, isLongerThan } from './extent.ts';

/**
 * Ends of sentences: in scripts with spaces a stop and a space, in others the stop itself. In German the stop behind a
 * number makes it an ordinal: "bis zum 28. Juni".
 */
const sentenceEnd =
	/(?<=[.!?;][)"'”’`*]{0,2})(?<!\b(?:am|vom|zum|beim|im|den|dem|der|die|das|bis|ab|seit)\s\d{1,2}\.)\s+(?=[\p{Lu}\p{Lo}\d"'“‘`*_([@/~-])|(?<=[。！？])/u;
/** A sentence that gives the reason of the one before it, and says nothing without: in Japanese the verb's end tells. */
const reason = /(?:から|ため)(?:です|だ|である|でした|だった)[。！]?$|^(?:因为|这是因为)/;
const listItem = /^\s*(?:[-*+•‣◦]|\d{1,3}[.)]|[a-zA-Z][.)])\s+/;
const heading = /^\s{0,3}(?:#{1,6}\s+\S|\*\*[^*]{1,80}\*\*:?\s*$)/;

/** Marks around what models think or answer, as some write them into their text. */
const markAlone = /^<\/?(?:think(?:ing)?|thought|reasoning|reflection|answer|response|output)>$/i;
/** A colon that a heading ends on, inside what makes it bold or behind. */
const endsOnColon = /[:：][*_`"')）\s]*$/;

/** One piece of prose. */
export interface Sentence {
	text: string;
	/** Where it begins in the text that was read. UTF-16 units. */
	from: number;
	/** Whether it begins a line of its own, so that it is not joined with what stands before it. */
	ownLine: boolean;
	/** Inside a fenced block of code. */
	code: boolean;
}

/** The pieces of a text, in order; fenced code line by line. */
export function sentencesOf(text: string): Sentence[] {
	if (text.length <= workLimits.maxLengthOf.sentences) return sentencesFrom(text, 0);
	const tail = text.length - (workLimits.maxLengthOf.sentences >> 1);
	return [
		...sentencesFrom(text.slice(0, workLimits.maxLengthOf.sentences >> 1), 0),
		...sentencesFrom(text.slice(tail), tail),
	];
}

function sentencesFrom(text: string, offset: number): Sentence[] {
	const found: Sentence[] = [];
	let fenced = false;
	let title: Sentence | undefined;
	let index = 0;
	for (const line of text.split('\n')) {
		const from = offset + index;
		index += line.length + 1;
		const plain = line.trim();
		if (plain.startsWith('```') || plain.startsWith('~~~')) {
			fenced = !fenced;
			// What it is the heading of is the code.
			if (title) found.push({ ...title, text: withColon(title.text) });
			title = undefined;
			continue;
		}
		if (plain === '' || markAlone.test(plain) || !/[\p{L}\p{N}]/u.test(plain)) continue;
		if (fenced) {
			if (plain.length <= tuning.lengths.maxSentence)
				found.push({ text: plain, from, ownLine: true, code: true });
			continue;
		}
		if (heading.test(line)) {
			title = { text: plain.replace(/^#+\s+/, ''), from, ownLine: true, code: false };
			continue;
		}
		let ownLine = true;
		for (const piece of piecesOf(plain)) {
			const text = title === undefined ? piece : underHeading(title.text, piece);
			found.push({ text, from: title?.from ?? from, ownLine, code: false });
			title = undefined;
			ownLine = false;
		}
	}
	if (title) found.push(title);
	return found;
}

function withColon(title: string): string {
	return endsOnColon.test(title) ? title : `${title}:`;
}

/** A piece behind its heading; what begins a list or a table begins a line of its own. */
function underHeading(title: string, piece: string): string {
	const isItem = listItem.test(piece) || piece.startsWith('|');
	return `${withColon(title)}${isItem ? '\n' : ' '}${piece}`;
}

function piecesOf(line: string): string[] {
	if (
		!isLongerThan(line, tuning.lengths.minSentence * 2) ||
		(line.startsWith('|') && line.length <= tuning.lengths.maxSentence)
	)
		return [line];
	const pieces: string[] = [];
	const mark = listItem.exec(line)?.[0] ?? '';
	let held = mark;
	for (const sentence of line.slice(mark.length).split(sentenceEnd)) {
		const last = pieces.at(-1);
		const isAlone = held === '' || held === mark;
		if (isAlone && last !== undefined && goesOn(last, sentence) && fits(last, sentence)) {
			pieces[pieces.length - 1] = joined(last, sentence);
			continue;
		}
		held = isAlone ? held + sentence : joined(held, sentence);
		if (!isLongerThan(held, tuning.lengths.minSentence - 1 + mark.length)) continue;
		pieces.push(...partedAtWords(held));
		held = '';
	}
	if (held.trim() === '' || held === mark) return pieces;
	const last = pieces.at(-1);
	if (last !== undefined && !isLongerThan(held, tuning.lengths.minSentence - 1) && fits(last, held)) {
		pieces[pieces.length - 1] = joined(last, held);
	} else pieces.push(...partedAtWords(held));
	return pieces;
}

/** Whether a sentence says nothing without the one before it, or that one without it. */
function goesOn(before: string, sentence: string): boolean {
	const isInCode = before.split('`').length % 2 === 0;
	return isInCode || reason.test(sentence);
}

function fits(left: string, right: string): boolean {
	return extentOf(left) + extentOf(right) < tuning.lengths.maxSentence;
}

/** Two sentences behind one another; where no space stands between sentences there is none. */
function joined(left: string, right: string): string {
	return /[。！？；]$/.test(left) ? left + right : `${left} ${right}`;
}

function partedAtWords(text: string): string[] {
	const parts: string[] = [];
	let rest = text;
	while (isLongerThan(rest, tuning.lengths.maxSentence)) {
		const window = rest.slice(0, firstOfExtent(rest, tuning.lengths.maxSentence));
		const comma = Math.max(
			window.lastIndexOf(', '),
			window.lastIndexOf('; '),
			window.lastIndexOf('、'),
			window.lastIndexOf('，'),
		);
		const space = window.lastIndexOf(' ');
		const half = window.length / 2;
		const cut = comma > half ? comma + 1 : space > half ? space : window.length;
		parts.push(rest.slice(0, cut).trim());
		rest = rest.slice(cut).trim();
	}
	if (rest !== '') parts.push(rest);
	return parts;
}
