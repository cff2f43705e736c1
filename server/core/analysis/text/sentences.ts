/** Splits prose into sentences, list items and table rows. */

import { tuning, workLimits } from '../../compact/tuning.ts';
import { isCodeLine } from './codeLines.ts';
import { isAnnouncement, isGuess, isQuestion, recordsDecision, scoreCues } from './cues.ts';
import { hashWords } from './hashes.ts';
import { findLatinPrefixEnd, isLongerThan, measureLatinLength } from './language.ts';
import { maskSecrets } from './secrets.ts';

/**
 * Ends of sentences: a full stop and a space, or only the full stop in scripts without spaces. In German, a full stop
 * after a number may be part of an ordinal: "bis zum 28. Juni". Abbreviations such as "e.g." end no sentence.
 */
const sentenceEndPattern =
	/(?<=[.!?;][)"'”’`*]{0,2})(?<!\b(?:e\.g|i\.e|vs|cf|bzw|[zdups]|z\. ?B|d\. ?h|u\. ?a|p\. ?ex)\.)(?!(?<=\betc\.)\s+["'“‘`(])(?<!\b(?:am|vom|zum|beim|im|den|dem|der|die|das|bis|ab|seit)\s\d{1,2}\.)\s+(?=[\p{Lu}\p{Lo}\d"'“‘`*_([@/~-])|(?<=[。！？])/u;
/** Ends of sentences and of lines. Coarser than `splitSentences`, which knows lists and code. */
export const sentenceOrLineEndPattern =
	/(?<=[.!?])(?<!\b(?:e\.g|i\.e|vs|cf|bzw|z\. ?B|p\. ?ex)\.)\s+|(?<=[。！？])|\n+/;
/** A sentence that states the reason for the previous sentence; in Japanese, recognized by the verb's ending. */
const reasonPattern = /(?:から|ため)(?:です|だ|である|でした|だった)[。！]?$|^(?:因为|这是因为)/;
export const listItemPattern = /^\s*(?:[-*+•‣◦]|\d{1,3}[.)]|[a-zA-Z][.)])\s+/;
const headingPattern = /^\s{0,3}(?:#{1,6}\s+\S|\*\*[^*]{1,80}\*\*:?\s*$)/;

/** A line that is only a tag around thinking or an answer, which some models write into their text. */
const tagLinePattern = /^<\/?(?:think(?:ing)?|thought|reasoning|reflection|answer|response|output)>$/i;
/** A colon at the end of a heading, possibly followed by the marks that make it bold. */
const colonEndPattern = /[:：][*_`"')）\s]*$/;

/** One sentence, list item, table row or line of code. */
export interface Sentence {
	text: string;
	/** Start of the sentence in the whole text. UTF-16 units. */
	from: number;
	/** End of the sentence's last line in the whole text. UTF-16 units. */
	to: number;
	/** Whether the sentence starts on a new line, and is not joined with the text before it. */
	isOnNewLine: boolean;
	/** Whether the sentence is inside a fenced block of code. */
	isCode: boolean;
}

/** Returns the sentences of a text, in order, and fenced code line by line. Reads only both ends of a long text. */
export function splitSentences(text: string): Sentence[] {
	if (text.length <= workLimits.maxLengthOf.sentences) return splitSentencesFrom(text, 0);
	const tail = text.length - (workLimits.maxLengthOf.sentences >> 1);
	return [
		...splitSentencesFrom(text.slice(0, workLimits.maxLengthOf.sentences >> 1), 0),
		...splitSentencesFrom(text.slice(tail), tail),
	];
}

function splitSentencesFrom(text: string, offset: number): Sentence[] {
	const sentences: Sentence[] = [];
	let fence = '';
	let title: Sentence | undefined;
	let index = 0;
	for (const line of markWraps(text).split('\n')) {
		const from = offset + index;
		const to = from + line.length;
		index += line.length + 1;
		const trimmed = line.trim().replace(wrapPattern, ' ');
		const fenceBefore = fence;
		fence = readFence(trimmed, fence);
		if (fence !== fenceBefore) {
			// The heading before a code block belongs to the code.
			if (title) sentences.push({ ...title, text: addColon(title.text) });
			title = undefined;
			continue;
		}
		if (trimmed === '' || tagLinePattern.test(trimmed) || !/[\p{L}\p{N}]/u.test(trimmed)) continue;
		if (fence !== '') {
			if (trimmed.length <= tuning.lengths.maxSentence)
				sentences.push({ text: trimmed, from, to, isOnNewLine: true, isCode: true });
			continue;
		}
		if (headingPattern.test(line)) {
			title = { text: trimmed.replace(/^#+\s+/, ''), from, to, isOnNewLine: true, isCode: false };
			continue;
		}
		// Above code, the line is a comment.
		const isCode = isCodeLine(trimmed);
		if (title && isCode && text.startsWith('#', title.from - offset)) {
			sentences.push(title);
			title = undefined;
		}
		let isOnNewLine = true;
		for (const piece of isCode ? splitAtWords(trimmed) : splitLine(trimmed)) {
			const sentence = title === undefined ? piece : joinWithHeading(title.text, piece);
			sentences.push({ text: sentence, from: title?.from ?? from, to, isOnNewLine, isCode: false });
			title = undefined;
			isOnNewLine = false;
		}
	}
	if (title) sentences.push(title);
	return sentences;
}

/** Shorter lines were not wrapped at a width. UTF-16 units. */
const minWrappedLength = 60;
/** The end of a line in the middle of a sentence. */
const openEndPattern = /[\p{L}\p{N},"'”’`]$/u;
/** The start of a line that goes on with a sentence, not of a list item or a named value. */
const continuedPattern = /^ {0,8}\p{Ll}(?![.)]\s)(?!\w{0,40}:)/u;
/** Marks that code has, and prose rarely. */
const codeMarkPattern = /[{}=<>|]|\(\)|;$/;
/** Replaces a line break in the middle of a sentence. */
const wrapMark = '\v';
const wrapPattern = /\s{0,9}\v\s{0,9}/g;

/** Returns a text in which `wrapMark` replaces each line break in the middle of a sentence, outside of code. */
function markWraps(text: string): string {
	const lines = text.split('\n');
	let fence = '';
	let marked = lines[0] ?? '';
	for (const [index, line] of lines.slice(1).entries()) {
		const before = lines[index] ?? '';
		fence = readFence(before.trim(), fence);
		marked += `${fence === '' && isWrapped(before.trimEnd(), line) ? wrapMark : '\n'}${line}`;
	}
	return marked;
}

/** Whether a line goes on with the sentence at the end of the line before it. */
function isWrapped(before: string, line: string): boolean {
	if (before.length < minWrappedLength || !openEndPattern.test(before) || headingPattern.test(before))
		return false;
	return (
		continuedPattern.test(line) && !codeMarkPattern.test(before) && !codeMarkPattern.test(line.trimEnd())
	);
}

/**
 * Returns the marks of the block of code that is open after a line; empty outside of blocks. `fence` are the marks before the
 * line. A line that starts with code in backticks opens no block.
 */
export function readFence(line: string, fence: string): string {
	const marks = /^\s*(`{3,}|~{3,})/.exec(line)?.[1] ?? '';
	if (fence !== '') return marks.startsWith(fence) ? '' : fence;
	return marks.startsWith('`') && line.trim().includes('`', marks.length) ? '' : marks;
}

function addColon(title: string): string {
	return colonEndPattern.test(title) ? title : `${title}:`;
}

/** Joins a heading with the text under it. List items and table rows start on a new line. */
function joinWithHeading(title: string, piece: string): string {
	const isItem = listItemPattern.test(piece) || piece.startsWith('|');
	return `${addColon(title)}${isItem ? '\n' : ' '}${piece}`;
}

/** A sentence that only draws attention to the next one: "Another critical problem!" */
const exclamationPattern = /[!！]["'*_)]{0,3}$/;

function splitLine(line: string): string[] {
	if (
		!isLongerThan(line, tuning.lengths.minSentence * 2) ||
		(line.startsWith('|') && line.length <= tuning.lengths.maxSentence)
	)
		return [line];
	const pieces: string[] = [];
	const mark = listItemPattern.exec(line)?.[0] ?? '';
	let pending = mark;
	for (const sentence of line.slice(mark.length).split(sentenceEndPattern)) {
		const last = pieces.at(-1);
		const isAlone = pending === '' || pending === mark;
		if (isAlone && last !== undefined && dependsOnPrevious(last, sentence) && canJoin(last, sentence)) {
			pieces[pieces.length - 1] = joinSentences(last, sentence);
			continue;
		}
		pending = isAlone ? pending + sentence : joinSentences(pending, sentence);
		const minLength = exclamationPattern.test(pending)
			? 2 * tuning.lengths.minSentence
			: tuning.lengths.minSentence;
		if (!isLongerThan(pending, minLength - 1 + mark.length)) continue;
		pieces.push(...splitAtWords(pending));
		pending = '';
	}
	if (pending.trim() === '' || pending === mark) return pieces;
	const last = pieces.at(-1);
	if (
		last !== undefined &&
		!isLongerThan(pending, tuning.lengths.minSentence - 1) &&
		canJoin(last, pending)
	) {
		pieces[pieces.length - 1] = joinSentences(last, pending);
	} else pieces.push(...splitAtWords(pending));
	return pieces;
}

/** Whether a sentence depends on the previous one, or ends a code span that the previous one began. */
function dependsOnPrevious(before: string, sentence: string): boolean {
	const isInCode = before.split('`').length % 2 === 0;
	return isInCode || reasonPattern.test(sentence);
}

function canJoin(left: string, right: string): boolean {
	return measureLatinLength(left) + measureLatinLength(right) < tuning.lengths.maxSentence;
}

/** Joins two sentences, with a space if their script uses spaces. */
function joinSentences(left: string, right: string): string {
	return /[。！？；]$/.test(left) ? left + right : `${left} ${right}`;
}

function splitAtWords(text: string): string[] {
	const parts: string[] = [];
	if (!isLongerThan(text, tuning.lengths.maxSentence)) return [text];
	// The parts of a key are not recognized.
	let rest = maskSecrets(text);
	while (isLongerThan(rest, tuning.lengths.maxSentence)) {
		const window = rest.slice(0, findLatinPrefixEnd(rest, tuning.lengths.maxSentence));
		const comma = Math.max(
			window.lastIndexOf(', '),
			window.lastIndexOf('; '),
			window.lastIndexOf('、'),
			window.lastIndexOf('，'),
		);
		const space = window.lastIndexOf(' ');
		const half = window.length / 2;
		const splitPoint = comma > half ? comma + 1 : space > half ? space : window.length;
		parts.push(rest.slice(0, splitPoint).trim());
		rest = rest.slice(splitPoint).trim();
	}
	if (rest !== '') parts.push(rest);
	return parts;
}

/** A sentence with its score and words. */
export interface FoundSentence extends Omit<Sentence, 'isCode'> {
	/** Score relative to a plain sentence, by its words and its position. */
	score: number;
	/** The words of the text, as `hashWords` returns them. */
	words: readonly number[];
}

/** Returns the scored sentences of a text. Joins an introduction or a contrast with the sentence that it belongs to. */
export function findSentences(text: string): FoundSentence[] {
	const all = splitSentences(text);
	const sentences: FoundSentence[] = [];
	for (const [index, { isCode, ...sentence }] of all.entries()) {
		const edgeFactor = index === 0 || index === all.length - 1 ? tuning.scores.edge : 1;
		const score = (isCode ? tuning.scores.secondary : scoreCues(sentence.text)) * edgeFactor;
		const scored = { ...sentence, score, words: hashWords(sentence.text) };
		const before = sentences.at(-1);
		if (before && isIntroduced({ ...scored, isCode }, all[index - 1], before))
			sentences.splice(-1, 1, joinWithIntroduction(before, scored));
		else sentences.push(scored);
	}
	lowerReversedScores(sentences, text);
	return sentences;
}

/** Lowers the scores of the paragraphs, or parts of paragraphs, that the next sentence takes back. */
function lowerReversedScores(sentences: readonly FoundSentence[], text: string): void {
	for (const [index, reversal] of sentences.entries()) {
		if (!reversalPattern.test(reversal.text)) continue;
		for (let at = index - 1; at >= 0; at--) {
			const one = sentences[at] as FoundSentence;
			one.score *= tuning.scores.secondary;
			const before = sentences[at - 1];
			if (!before || text.slice(before.to, one.from).includes('\n\n') || reversalPattern.test(one.text))
				break;
		}
	}
}

/** A colon at the end of a line, which introduces the next lines. */
export const introductionPattern = /[:：][^\p{L}\p{N}_:：]*$/u;

/** The name of a list item without its content: `- **Branch:**`. */
const itemNamePattern =
	/^(?:(?:[-*+•]|\d{1,3}[.)])\s+)?\*\*[^*\n]{1,60}\*\*[:：]?$|^(?:[-*+•]|\d{1,3}[.)])\s+[^.!?\n]{1,48}[:：]$/;

/** A contrast or an alternative, which says something else without the sentence before it. */
const contrastPattern =
	/^[^\p{L}\p{N}]*(?:(?:or|but|otherwise|unless|oder|aber|sonst|ou|mais|sinon|pero)(?![\p{L}\p{N}_-])|または|もしくは|しかし|或者|但是|否则)/iu;

/** The start of a sentence that takes back what was said before it: "Actually wait, let me reconsider." */
const reversalPattern =
	/^[^\p{L}\p{N}]*(?:(?:but|hmm+|oh|ah|ok|so)\b[,. ]*){0,2}(?:actually,? (?:wait|no)\b|no,? wait\b|wait,? (?:no\b|let me re)|let me reconsider\b|scratch that\b)/iu;
/** Maximum length of a sentence that only announces a reversal, which the next one states. UTF-16 units. */
const maxEmptyReversalLength = 60;

/** A sentence that says only that the cause is known: "I think I see the issue now." The next one states it. */
const emptyFindingPattern =
	/^(?:(?:ok(?:ay)?|ah|now),? )?(?:i think )?i (?:now |can )?(?:see|found|understand) the (?:issue|problem|bug|cause)(?: now)?[.!]$|^(?:jetzt sehe ich|ich sehe) das problem[.!]$|^(?:問題|原因)が(?:わか|分か)りました。$|^我?找到问题了。$/i;

/** Whether two neighbouring sentences mean something else, or nothing, alone. Code introduces nothing. */
function isIntroduced(next: Sentence, previous: Sentence | undefined, intro: FoundSentence): boolean {
	if (!previous || previous.isCode) return false;
	if (!next.isCode && (contrastPattern.test(next.text) || saysNothing(previous.text)))
		return canJoin(intro.text, next.text) && matterEqually(intro.text, next.text);
	if (!next.isOnNewLine && !itemNamePattern.test(previous.text)) return false;
	return introductionPattern.test(intro.text) && canJoin(intro.text, next.text);
}

/** Whether a sentence only says that the next one states a cause, or the opposite of what was said. */
function saysNothing(sentence: string): boolean {
	const isReversal = sentence.length <= maxEmptyReversalLength && reversalPattern.test(sentence);
	return isReversal || emptyFindingPattern.test(sentence);
}

/** Whether neither of two sentences may be dropped alone: as an old guess, an announcement or an answered question. */
function matterEqually(left: string, right: string): boolean {
	if (isGuess(left) || isAnnouncement(right)) return false;
	return isQuestion(left) === isQuestion(right);
}

function joinWithIntroduction(before: FoundSentence, after: FoundSentence): FoundSentence {
	const [lengthBefore, lengthAfter] = [before.text.length, after.text.length];
	const score = (before.score * lengthBefore + after.score * lengthAfter) / (lengthBefore + lengthAfter);
	return {
		...before,
		to: after.to,
		text: `${before.text}${after.isOnNewLine ? '\n' : ' '}${after.text}`,
		score: recordsDecision(before.text) ? Math.max(score, before.score) : score,
		words: [...new Set([...before.words, ...after.words])],
	};
}

/** All sentences of a text except the last. */
const leadingSentencesPattern =
	/^[\s\S]*(?:[.!?](?<!\b(?:e\.g|i\.e|vs|cf|bzw|z\. ?B|p\. ?ex)\.)(?=\s+\S)|[。！？](?=\s*\S))/;

/** Returns a text without its last sentence and the space before it; empty if it has only one. */
export function removeLastSentence(text: string): string {
	return leadingSentencesPattern.exec(text)?.[0] ?? '';
}
