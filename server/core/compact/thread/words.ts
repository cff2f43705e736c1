/** The plain words of a text as numbers, to tell what was said before from what is new. */

const word = /[\p{L}\p{N}_]{4,}|[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3]{2,}|\d{2,}/gu;
const cjk = /[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3]/;
const common = new Set(
	'that this with from have will would should there their they them then than when what which while where been were your into also just like more some such each very here about after before because could these those other over only does doing make made using used need needs'.split(
		' ',
	),
);

function hash(text: string, from: number, to: number): number {
	let code = 0x811c9dc5 | 0;
	for (let index = from; index < to; index++) code = Math.imul(code ^ text.charCodeAt(index), 0x01000193);
	return code;
}

/** Hashes of the distinct words of a text; of scripts without spaces, of each two neighbours. */
export function wordsIn(text: string): number[] {
	const lower = text.toLowerCase();
	const found = new Set<number>();
	for (const match of lower.matchAll(word)) {
		const [part] = match;
		const from = match.index;
		if (cjk.test(part))
			for (let index = from; index < from + part.length - 1; index++)
				found.add(hash(lower, index, index + 2));
		else if (!common.has(part)) found.add(hash(lower, from, from + part.length));
	}
	return [...found];
}
