export const OTHER = 0;
export const LOWER = 1;
export const UPPER = 2;
export const DIGIT = 3;
export const UNDERSCORE = 4;
/** What joins words to a path or a version: `. / - @ ~ +`. */
export const MARK = 5;
export const NEWLINE = 6;
export const SPACE = 7;
/** Han, kana, hangul: scripts written without spaces, or whose words are short. */
export const CJK = 8;

const ASCII = new Uint8Array(128);
for (let code = 97; code <= 122; code++) ASCII[code] = LOWER;
for (let code = 65; code <= 90; code++) ASCII[code] = UPPER;
for (let code = 48; code <= 57; code++) ASCII[code] = DIGIT;
ASCII[95] = UNDERSCORE;
for (const mark of './-@~+') ASCII[mark.charCodeAt(0)] = MARK;
ASCII[10] = NEWLINE;
ASCII[32] = SPACE;
ASCII[9] = SPACE;
ASCII[13] = SPACE;

/** The class of a UTF-16 unit, `OTHER` for NaN (beyond the text's end). */
export function classOf(code: number): number {
	if (code < 128) return ASCII[code]!;
	if (code >= 0x3040 && code <= 0x9fff) return CJK;
	return code >= 0xac00 && code <= 0xd7a3 ? CJK : OTHER;
}
