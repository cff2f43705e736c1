/** Verifies that users said something, by looking it up in what they typed. */

/** Marks that do not change the words. */
const marks = /[*_`"'“”‘’„«»「」『』]/g;
/** Scripts without spaces, which negate after the verb. */
const dense = /[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3]/;
const letter = /[\p{L}\p{N}]/u;
const sentenceEnd = /[.!?。！？]/;

/** Words that negate what follows in a sentence, or make it conditional. Without apostrophes. */
const turning =
	/\b(?:not|never|no|nor|dont|doesnt|didnt|isnt|arent|wont|cant|cannot|mustnt|shouldnt|neednt|without|unless|if|when|until|except|avoid|stop|forbid\w*|instead of|rather than|nicht|kein\w*|nie|niemals|ohne|wenn|falls|bevor|ne|pas|jamais|sans|si|nunca|sin|cuando|non|mai)\b|[不别別勿沒没]|如果|除非|もし|場合/u;

/** Words that make what precedes them conditional. */
const binding =
	/\b(?:unless|if|when|until|except|only|but not|wenn|falls|außer|nur|sauf|seulement|salvo|solo|si)\b|如果|除非|場合/u;

/** Normalises a text for comparison: ignores case, marks, empty lines and spacing. Linear in the text. */
export function normalizeForComparison(text: string): string {
	return text
		.normalize('NFKC')
		.toLowerCase()
		.split('\n')
		.map((line) =>
			line
				.trim()
				.replace(/^[*•]\s+/, '- ')
				.replace(marks, '')
				.replace(/\s+/g, ' ')
				.trim(),
		)
		.filter((line) => line !== '')
		.join('\n');
}

const stop = /[\s\-–—:;,.!?。！？、，]/;

/** Returns a text on one line, without stops and dashes around it. */
function bare(text: string): string {
	const line = normalizeForComparison(text).replaceAll('\n', ' ');
	let start = 0;
	let end = line.length;
	while (start < end && stop.test(line[start] ?? '')) start++;
	while (end > start && stop.test(line[end - 1] ?? '')) end--;
	return line.slice(start, end);
}

function isWhole(text: string, from: number, to: number): boolean {
	const isDense = dense.test(text[from] ?? '') || dense.test(text[to - 1] ?? '');
	if (isDense) return !dense.test(text[to] ?? '') || sentenceEnd.test(text[to] ?? '');
	return !letter.test(text[from - 1] ?? '') && !letter.test(text[to] ?? '');
}

/** Length read of a sentence on either side of the words. UTF-16 units. */
const sentenceReach = 1000;
/** Maximum number of occurrences checked in one message; words that occur more often do not count as said. */
const maxOccurrences = 200;

/** Returns the text before an index in the same sentence. A line break ends a sentence only before a list item. */
function before(text: string, index: number): string {
	const head = text.slice(Math.max(0, index - sentenceReach), index);
	const ends = [...head.matchAll(/[.!?。！？](?=\s)|[。！？]|\n(?=[-\d])|\n(?=$)/g)];
	return head.slice((ends.at(-1)?.index ?? -1) + 1);
}

function behind(text: string, index: number): string {
	const rest = text.slice(index, index + sentenceReach);
	const end = /[.!?](?=\s|$)|[。！？]|\n(?=[-\d])/.exec(rest);
	return end ? rest.slice(0, end.index) : rest;
}

export interface UserSaid {
	/** Whether a message contains these words, and does not negate them. */
	says(words: string): boolean;
	/** Whether a message also does not make them conditional, as a rule requires. */
	rules(words: string): boolean;
}

/** Looks words up in the typed messages of users. O(all their text) for each look-up. */
export function userSaid(messages: readonly string[]): UserSaid {
	const texts = messages.map((message) => {
		const lined = normalizeForComparison(message);
		return { lined, flat: lined.replaceAll('\n', ' ') };
	});
	const occurs = (words: string, isGood: (lined: string, from: number, to: number) => boolean): boolean => {
		const wanted = bare(words);
		if (wanted === '') return true;
		return texts.some(({ lined, flat }) => {
			let from = flat.indexOf(wanted);
			for (let count = 0; from >= 0 && count < maxOccurrences; count++) {
				const to = from + wanted.length;
				if (isWhole(flat, from, to) && !turning.test(before(lined, from)) && isGood(lined, from, to))
					return true;
				from = flat.indexOf(wanted, from + 1);
			}
			return false;
		});
	};
	return {
		// An ellipsis or brackets mark an omission, so each part is looked up.
		says: (words) => words.split(/…|\.\.\.|\[[^[\]]*\]/).every((part) => occurs(part, () => true)),
		rules: (words) => occurs(words, (lined, _, to) => !binding.test(behind(lined, to))),
	};
}
