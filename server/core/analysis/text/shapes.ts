/** Recognizes the shapes of facts by classes of characters. */

export const unclassedCharacter = 0;
export const lowerCaseLetter = 1;
export const upperCaseLetter = 2;
export const digitCharacter = 3;
export const underscoreCharacter = 4;
/** Characters that join words to a path or a version: `. / - @ ~ +`. */
export const markCharacter = 5;
export const newlineCharacter = 6;
export const spaceCharacter = 7;
/** Han, kana and hangul: scripts without spaces or with short words. */
export const cjkCharacter = 8;

const asciiClasses = new Uint8Array(128);
for (let code = 97; code <= 122; code++) asciiClasses[code] = lowerCaseLetter;
for (let code = 65; code <= 90; code++) asciiClasses[code] = upperCaseLetter;
for (let code = 48; code <= 57; code++) asciiClasses[code] = digitCharacter;
asciiClasses[95] = underscoreCharacter;
for (const mark of './-@~+') asciiClasses[mark.charCodeAt(0)] = markCharacter;
asciiClasses[10] = newlineCharacter;
asciiClasses[32] = spaceCharacter;
asciiClasses[9] = spaceCharacter;
asciiClasses[13] = spaceCharacter;

/** Returns the class of a UTF-16 unit; `unclassedCharacter` for NaN, the code after the end of a text. */
export function classifyCharacter(code: number): number {
	if (code < 128) return asciiClasses[code]!;
	if (code >= 0x3040 && code <= 0x9fff) return cjkCharacter;
	return code >= 0xac00 && code <= 0xd7a3 ? cjkCharacter : unclassedCharacter;
}

/** Length of an error's message after the word that names the error. UTF-16 units. */
const errorMessageLength = { min: 8, max: 120 } as const;
/** Maximum length of a file extension: includes `.markdown`, but not `.properties`. UTF-16 units. */
const maxExtensionLength = 8;
/** Length to which longer URLs are truncated, because their end is mostly a query. UTF-16 units. */
const maxUrlLength = 200;

function isWordCharacter(kind: number): boolean {
	return kind >= lowerCaseLetter && kind <= underscoreCharacter;
}

/**
 * Returns the end of the path whose last slash is at `slash`; -1 unless a file name with an extension follows the
 * slash. Only word characters and punctuation lie between `slash` and `to`.
 */
export function findPathEnd(text: string, slash: number, to: number): number {
	let end = to;
	while (end > slash + 1 && classifyCharacter(text.charCodeAt(end - 1)) === markCharacter) end--;
	let dot = end - 1;
	while (dot > slash && end - dot <= maxExtensionLength + 1 && text.charCodeAt(dot) !== 46) dot--;
	if (dot <= slash + 1 || text.charCodeAt(dot) !== 46 || end - dot < 2) return -1;
	const first = classifyCharacter(text.charCodeAt(dot + 1));
	if (first !== lowerCaseLetter && first !== upperCaseLetter) return -1;
	for (let index = dot + 2; index < end; index++)
		if (!isWordCharacter(classifyCharacter(text.charCodeAt(index)))) return -1;
	return isWordCharacter(classifyCharacter(text.charCodeAt(dot - 1))) ? end : -1;
}

/** Returns the end of the URL with the scheme `from..colon`; -1 if it is not a URL. */
export function findUrlEnd(text: string, from: number, colon: number, to: number): number {
	if (!text.startsWith('://', colon) || !text.startsWith('http', from)) return -1;
	let end = colon + 3;
	const maxEnd = Math.min(to, end + maxUrlLength);
	while (end < maxEnd && !endsUrl(text.charCodeAt(end))) end++;
	while (isTrailingMark(text.charCodeAt(end - 1))) end--;
	return end > colon + 3 ? end : -1;
}

function endsUrl(code: number): boolean {
	// space and controls, " ' ) < > \ ] }
	if (code <= 34 || code === 39 || code === 41 || code === 60 || code === 62) return true;
	return code === 92 || code === 93 || code === 125;
}

function isTrailingMark(code: number): boolean {
	return code === 46 || code === 44 || code === 58 || code === 59;
}

/** Whether the word at `from..to` names a failure: `TypeError`, `NullPointerException`, `ENOENT`, `FAIL`, `panic`. */
export function isErrorWord(text: string, from: number, to: number): boolean {
	const last = text.charCodeAt(to - 1);
	if (last === 114) return endsWithWord(text, from, to, 'Error');
	if (last === 110) return endsWithWord(text, from, to, 'Exception');
	if (last === 84) return endsWithWord(text, from, to, 'ENOENT');
	if (last === 83) return endsWithWord(text, from, to, 'EACCES');
	if (last === 76) return endsWithWord(text, from, to, 'FAIL');
	if (last === 68) return endsWithWord(text, from, to, 'FAILED');
	return last === 99 && endsWithWord(text, from, to, 'panic');
}

function endsWithWord(text: string, from: number, to: number, word: string): boolean {
	return to - from >= word.length && text.startsWith(word, to - word.length);
}

/** Returns the end of the message after an error's name at `index`; -1 if the message is too short. */
export function findErrorEnd(text: string, index: number, to: number): number {
	const maxEnd = Math.min(to, index + errorMessageLength.max);
	let end = index;
	while (end < maxEnd) {
		const code = text.charCodeAt(end);
		if (code === 10 || code === 34 || code === 92) break;
		end++;
	}
	if (end - index < errorMessageLength.min) return -1;
	while (isTrailingMark(text.charCodeAt(end - 1))) end--;
	return end;
}
