/** Measures texts of any language in Latin letters. */

/**
 * Number of Latin letters with as much content as one character of another script. Two parallel texts had 6,800 letters in
 * English, 1.08 times as many in German, 1,700 ideographs in Chinese, and 760 ideographs and 1,760 kana in Japanese. With
 * these factors, all four lengths differ by at most a twelfth.
 */
const lettersPerCharacter = { ideograph: 3.5, kana: 2, syllable: 2.2 } as const;

/** First and last UTF-16 unit of Chinese, Japanese and Korean scripts. */
const cjkRange = [0x3000, 0xffef] as const;
const wideCharacterPattern = /[\u3000-\uffef]/;

function countLatinLetters(code: number): number {
	if (code < cjkRange[0] || code > cjkRange[1]) return 1;
	if ((code >= 0x3400 && code <= 0x9fff) || (code >= 0xf900 && code <= 0xfaff))
		return lettersPerCharacter.ideograph;
	if (code >= 0xac00 && code <= 0xd7a3) return lettersPerCharacter.syllable;
	return code < 0x3400 || code >= 0xff00 ? lettersPerCharacter.kana : 1;
}

/** Returns the length of a text in Latin letters or their equivalent. For Latin text, its UTF-16 units. */
export function measureLatinLength(text: string): number {
	let letters = text.length;
	if (!wideCharacterPattern.test(text)) return letters;
	for (let index = 0; index < text.length; index++) {
		const code = text.charCodeAt(index);
		if (code >= cjkRange[0]) letters += countLatinLetters(code) - 1;
	}
	return Math.round(letters);
}

/** Whether a text is longer than `maxLetters` Latin letters. Does not read long texts to their end. */
export function isLongerThan(text: string, maxLetters: number): boolean {
	if (text.length > maxLetters) return true;
	return text.length * lettersPerCharacter.ideograph > maxLetters && measureLatinLength(text) > maxLetters;
}

/** Returns the length of a text's longest prefix within `maxLetters` Latin letters. UTF-16 units. */
export function findLatinPrefixEnd(text: string, maxLetters: number): number {
	let letters = 0;
	for (let index = 0; index < text.length; index++) {
		letters += countLatinLetters(text.charCodeAt(index));
		if (letters > maxLetters) return index;
	}
	return text.length;
}

/** Returns a text with plain apostrophes, as patterns of words have. Some models write `’`. */
export function toPlainApostrophes(text: string): string {
	return text.replaceAll('’', "'");
}

const germanWordPattern = /\b(?:der|die|das|ist|sind|und|nicht|mit|auf|wir|ich|im)\b/i;

/** Whether a text is German, in which every noun is capitalised, not only names. */
export function isGerman(text: string): boolean {
	return germanWordPattern.test(text);
}
