/** Hashes words and ranges of texts, to distinguish new text from repeated text. */

/** Words of four letters or more, and numbers; in scripts without spaces, runs of characters. */
const wordPattern = /[\p{L}\p{N}_]{4,}|[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3]{2,}|\d{2,}/gu;
/** `wordPattern` for ASCII text, several times faster. */
const asciiWordPattern = /\w{4,}|\d{2,}/g;
const nonAsciiPattern = /[\u0080-\uffff]/;
const cjkPattern = /[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3]/;
/** Two hiragana: usually an ending or a particle, which appears in every sentence. */
const hiraganaPairPattern = /^[\u3040-\u309f]{2}$/;
const commonWords = new Set(
	'that this with from have will would should there their they them then than when what which while where been were your into also just like more some such each very here about after before because could these those other over only does doing make made using used need needs'.split(
		' ',
	),
);

/** Returns a 32-bit FNV-1a hash. */
function hashWord(text: string): number {
	let code = 0x811c9dc5 | 0;
	for (let index = 0; index < text.length; index++)
		code = Math.imul(code ^ text.charCodeAt(index), 0x01000193);
	return code;
}

/** Returns hashes of the distinct words of a text. In scripts without spaces, each pair of characters is a word. */
export function hashWords(text: string): number[] {
	const lower = text.toLowerCase();
	const hasNonAscii = nonAsciiPattern.test(lower);
	const hashes = new Set<number>();
	for (const part of lower.match(hasNonAscii ? wordPattern : asciiWordPattern) ?? []) {
		if (!hasNonAscii || !cjkPattern.test(part)) {
			if (!commonWords.has(part)) hashes.add(hashWord(part));
			continue;
		}
		for (let index = 0; index < part.length - 1; index++) {
			const pair = part.slice(index, index + 2);
			if (!hiraganaPairPattern.test(pair)) hashes.add(hashWord(pair));
		}
	}
	return [...hashes];
}

export function hashRange(text: string, from = 0, to = text.length): number {
	let first = 0x811c9dc5 | 0;
	let second = to - from;
	for (let position = from; position < to; position++) {
		const code = text.charCodeAt(position);
		first = Math.imul(first ^ code, 0x01000193);
		second = (Math.imul(second, 0x9e3779b1) + code) | 0;
	}
	second ^= second >>> 15;
	return (first >>> 0) * 2 ** 20 + ((second >>> 0) & 0xfffff);
}
