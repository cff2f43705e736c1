/** The plain words of a text as numbers, to tell new text from repeated text. */

/** Up to this many numbers, comparing each pair is faster than a set. */
const maxListSearch = 24;
/** Shorter numbers are ignored. Digits. */
const minNumberLength = 2;
/** Shorter words are ignored. UTF-16 units. */
const minWordLength = 4;

const word = /[\p{L}\p{N}_]{4,}|[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3]{2,}|\d{2,}/gu;
const cjk = /[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3]/;
const common =
	'that this with from have will would should there their they them then than when what which while where been were your into also just like more some such each very here about after before because could these those other over only does doing make made using used need needs'.split(
		' ',
	);

/** FNV-1a's offset and prime, for 32 bits. */
const basis = 0x811c9dc5 | 0;
const prime = 0x01000193;

function hash(text: string, from: number, to: number): number {
	let code = basis;
	for (let index = from; index < to; index++) code = Math.imul(code ^ text.charCodeAt(index), prime);
	return code;
}

const commonHashes = new Set(common.map((text) => hash(text, 0, text.length)));

/** Classes of ASCII characters. */
const between = 0;
const digit = 1;
const letter = 2;
/** By ASCII code: its class, and its lower case. */
const kinds = new Uint8Array(128);
const small = new Uint8Array(128);
for (let code = 0; code < 128; code++) {
	const sign = String.fromCharCode(code);
	kinds[code] = /\d/.test(sign) ? digit : /\w/.test(sign) ? letter : between;
	small[code] = sign.toLowerCase().charCodeAt(0);
}

/** Returns where the run of digits that begins at an index ends. */
function digitsEnd(text: string, from: number, to: number): number {
	let end = from;
	while (end < to && kinds[text.charCodeAt(end)] === digit) end++;
	return end;
}

/** Returns the words of an ASCII text in one pass, as `word` would match them; undefined if the text is not ASCII. */
function wordsOfAscii(text: string): number[] | undefined {
	const found: number[] = [];
	let from = -1;
	let code = basis;
	for (let index = 0; index <= text.length; index++) {
		const unit = index < text.length ? text.charCodeAt(index) : 0;
		if (unit >= 128) return undefined;
		if (kinds[unit] !== between) {
			if (from < 0) {
				from = index;
				code = basis;
			}
			code = Math.imul(code ^ (small[unit] ?? 0), prime);
			continue;
		}
		if (from < 0) continue;
		if (index - from >= minWordLength) {
			if (!commonHashes.has(code)) found.push(code);
		} else
			for (let start = from; start < index; start++) {
				const end = digitsEnd(text, start, index);
				if (end - start >= minNumberLength) found.push(hash(text, start, end));
				start = Math.max(start, end - 1);
			}
		from = -1;
	}
	return found;
}

function isHiragana(code: number): boolean {
	return code >= 0x3040 && code <= 0x309f;
}

function wordsOfAny(text: string): number[] {
	const lower = text.toLowerCase();
	const found: number[] = [];
	for (const match of lower.matchAll(word)) {
		const [part] = match;
		const from = match.index;
		if (cjk.test(part))
			for (let index = from; index < from + part.length - 1; index++) {
				// Two hiragana are usually an ending or a particle, which appears in every sentence.
				if (!isHiragana(lower.charCodeAt(index)) || !isHiragana(lower.charCodeAt(index + 1)))
					found.push(hash(lower, index, index + 2));
			}
		else {
			const code = hash(lower, from, from + part.length);
			if (!commonHashes.has(code)) found.push(code);
		}
	}
	return found;
}

function distinct(numbers: readonly number[]): number[] {
	if (numbers.length > maxListSearch) return [...new Set(numbers)];
	const found: number[] = [];
	for (const one of numbers) if (!found.includes(one)) found.push(one);
	return found;
}

/** Returns hashes of the distinct words of a text; for scripts without spaces, of each pair of neighbouring signs. */
export function wordsIn(text: string): number[] {
	return distinct(wordsOfAscii(text) ?? wordsOfAny(text));
}
