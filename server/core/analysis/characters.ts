export const otherCharacter = 0;
export const lowerKind = 1;
export const upperKind = 2;
export const digitKind = 3;
export const underscoreKind = 4;
/** Characters that join words to a path or a version: `. / - @ ~ +`. */
export const markKind = 5;
export const newlineKind = 6;
export const spaceKind = 7;
/** Han, kana, hangul: scripts written without spaces, or whose words are short. */
export const cjkKind = 8;

const asciiKinds = new Uint8Array(128);
for (let code = 97; code <= 122; code++) asciiKinds[code] = lowerKind;
for (let code = 65; code <= 90; code++) asciiKinds[code] = upperKind;
for (let code = 48; code <= 57; code++) asciiKinds[code] = digitKind;
asciiKinds[95] = underscoreKind;
for (const mark of './-@~+') asciiKinds[mark.charCodeAt(0)] = markKind;
asciiKinds[10] = newlineKind;
asciiKinds[32] = spaceKind;
asciiKinds[9] = spaceKind;
asciiKinds[13] = spaceKind;

/** Returns the class of a UTF-16 unit; `otherCharacter` for NaN, which is read beyond the end of a text. */
export function classOf(code: number): number {
	if (code < 128) return asciiKinds[code]!;
	if (code >= 0x3040 && code <= 0x9fff) return cjkKind;
	return code >= 0xac00 && code <= 0xd7a3 ? cjkKind : otherCharacter;
}
