/** Splits the text of a message into passages and excerpts, and prepares texts for comparing their words. */

import { isHighSurrogate } from '../output/textSize.ts';

/** Maximum length of a passage. UTF-16 units. */
const maxPassageUnits = 4000;
/** Minimum share of a passage's maximum length after which the passage may end at a line end. */
const minFilledShare = 0.5;
/** Encoded data without a break, which is not worth searching. */
const encodedDataPattern = /[A-Za-z0-9+/=]{400,}/g;

/** Returns the text in passages of at most 4,000 characters, split at line ends if possible; none if it is blank. */
export function splitPassages(text: string): string[] {
	const passages: string[] = [];
	const shownText = text.replace(encodedDataPattern, '[data]');
	for (let from = 0; from < shownText.length; ) {
		const to = findSplitPoint(shownText, from);
		const passage = shownText.slice(from, to);
		if (/\S/.test(passage)) passages.push(passage);
		from = to;
	}
	return passages;
}

function findSplitPoint(text: string, from: number): number {
	const end = from + maxPassageUnits;
	if (end >= text.length) return text.length;
	const minEnd = from + minFilledShare * maxPassageUnits;
	for (const separator of ['\n', '\\n', ' ']) {
		const at = text.lastIndexOf(separator, end - separator.length);
		if (at >= minEnd) return at + separator.length;
	}
	return isHighSurrogate(text.charCodeAt(end - 1)) ? end - 1 : end;
}

/** Characters of scripts without spaces between words. */
const unspacedCharacterPattern =
	/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}]/gu;

/** Returns the text with spaces around characters of unspaced scripts, so that each is a word of the index. */
export function addSpacesToScripts(text: string): string {
	return text.replace(unspacedCharacterPattern, ' $& ');
}

/** Characters beyond ASCII, which may have or be diacritics. Matches UTF-16 units, which is much faster. */
const nonAsciiPattern = /[\u0080-\uffff]+/g;

/** Returns the text in lowercase without diacritics, for comparing words. Usually of the same length. */
export function foldText(text: string): string {
	return text.toLowerCase().replace(nonAsciiPattern, (run) =>
		run
			.normalize('NFD')
			.replace(/\p{M}+/gu, '')
			.normalize('NFC'),
	);
}

/** Returns an excerpt of a text, with an ellipsis at each truncated end. `start` and `length` are UTF-16 units. */
export function cutExcerpt(text: string, start: number, length: number): string {
	const end = start + length;
	const excerpt = text.slice(start, end).trim();
	return `${start > 0 ? '…' : ''}${excerpt}${end < text.length ? '…' : ''}`.toWellFormed();
}
