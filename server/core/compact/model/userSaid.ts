/** Whether users said something: looked up in what they typed, as far as a wording can be told. */

/** Marks that are the same words with or without them. */
const marks = /[*_`"'“”‘’„«»「」『』]/g;
/** Scripts that set no spaces, and negate behind the verb. */
const dense = /[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3]/;
const letter = /[\p{L}\p{N}]/u;
const sentenceEnd = /[.!?。！？]/;

/** Words before others in a sentence that turn what these say around, or bind it to a condition. Without apostrophes. */
const turning =
	/\b(?:not|never|no|nor|dont|doesnt|didnt|isnt|arent|wont|cant|cannot|mustnt|shouldnt|neednt|without|unless|if|when|until|except|avoid|stop|forbid\w*|instead of|rather than|nicht|kein\w*|nie|niemals|ohne|wenn|falls|bevor|ne|pas|jamais|sans|si|nunca|sin|cuando|non|mai)\b|[不别別勿沒没]|如果|除非|もし|場合/u;

/** Words behind others that bind them to a condition. */
const binding =
	/\b(?:unless|if|when|until|except|only|but not|wenn|falls|außer|nur|sauf|seulement|salvo|solo|si)\b|如果|除非|場合/u;

/** Returns the text as it is compared: letter case, marks, empty lines and spacing aside. Linear in the text. */
export function plain(text: string): string {
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

/** Returns the text in one line, without the stops and dashes around it. */
function bare(text: string): string {
	const line = plain(text).replaceAll('\n', ' ');
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

/** UTF-16 units of a sentence that are read on either side of the words looked up. */
const sentenceReach = 1000;
/** Occurrences of words that are looked at in one message; among more, none counts as said. */
const maxOccurrences = 200;

/** What stands in the same sentence before a place. A new line ends none, but where an item of a list begins. */
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
	/** Whether these words stand in a message, and do not say there the contrary of what they say alone. */
	says(words: string): boolean;
	/** The same of a rule, which must not lose its condition either. */
	rules(words: string): boolean;
}

/** Looks words up in the typed messages of users. O(all their text) for each look-up. */
export function userSaid(messages: readonly string[]): UserSaid {
	const texts = messages.map((message) => {
		const lined = plain(message);
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
		// Whoever leaves something out of a quotation says so.
		says: (words) => words.split(/…|\.\.\.|\[[^[\]]*\]/).every((part) => occurs(part, () => true)),
		rules: (words) => occurs(words, (lined, _, to) => !binding.test(behind(lined, to))),
	};
}
