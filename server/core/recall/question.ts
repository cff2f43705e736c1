/** Parses a query that searches all sessions. */

import { addSpacesToScripts, foldText } from './passages.ts';

/** Maximum number of words that are searched. */
const maxWords = 16;
/** Maximum length of a query that is read. UTF-16 units. */
const maxQueryLength = 2000;

/** A word of a query, or a name such as `src/server.ts` or `ERR_TIMEOUT`. */
export interface QueryWord {
	/** The word as typed. */
	text: string;
	/** The word's parts as the full-text index stores them, in lowercase. */
	terms: string[];
	/** The stem of each part, which also matches other forms of the word. */
	stems: string[];
	/** Whether the word names code, a file or an error. */
	isName: boolean;
}

/** Words that say little about the subject. They are searched only if a query has no other words. */
const fillerWords = new Set(
	`a an the and or but if then else of in on at to for from by with about into over after before under is are was were
	be been being am do does did doing have has had having i you he she it we they me him her us them my your his its our
	their this that these those which who whom whose what when where why how not no nor so than too very can could should
	would will shall may might must there here again once only own same such as all any both each few more most other some
	just also let get got
	der die das den dem des ein eine einer eines einem einen und oder aber wenn dann von im in am an auf zu zum zur für mit
	über nach vor unter ist sind war waren sein wird werden wurde wurden ich du er sie es wir ihr mich mir uns euch mein dein
	unser dieser diese dieses welche welcher welches wer wen wem was wann wo warum wie nicht kein keine so als auch nur noch
	schon sich hat haben hatte hatten kann können muss müssen soll sollen darf`.split(/\s+/),
);

/** Parses a query into words, without fillers unless it has only fillers. No words if it has no letters or digits. */
export function parseRecallQuery(query: string): QueryWord[] {
	const seenKeys = new Set<string>();
	const words: QueryWord[] = [];
	for (const text of query.slice(0, maxQueryLength).split(/\s+/)) {
		const word = parseQueryWord(text);
		const key = word.terms.join(' ');
		if (key === '' || seenKeys.has(key)) continue;
		seenKeys.add(key);
		words.push(word);
	}
	const contentWords = words.filter(
		({ terms, isName }) => isName || terms.length > 1 || !fillerWords.has(terms[0] ?? ''),
	);
	return (contentWords.length > 0 ? contentWords : words).slice(0, maxWords);
}

function parseQueryWord(typedWord: string): QueryWord {
	const text = removeMarks(typedWord);
	const terms = addSpacesToScripts(text.toLowerCase()).match(/[\p{L}\p{N}\p{M}\p{Co}]+/gu) ?? [];
	const isName =
		terms.length > 0 &&
		/[\p{L}\p{N}][_./:\\@#-][\p{L}\p{N}]|\p{Ll}\p{Lu}|\d|^[A-Z]{3,}$|^[._/$-]/u.test(text);
	return {
		text,
		terms,
		stems: terms.map((term) => (isName ? foldText(term) : findStem(foldText(term)))),
		isName,
	};
}

/** Returns a word without the punctuation marks around it. */
function removeMarks(typedWord: string): string {
	const text = typedWord.replace(/^[^\p{L}\p{N}_$@./-]+/u, '');
	let end = text.length;
	while (end > 0 && !/[\p{L}\p{N}\p{M}_$/)]/u.test(text.charAt(end - 1))) end--;
	return text.slice(0, end);
}

/** Endings that change a word's form but not its meaning, longest first. */
const wordEndings = 'ations ation ments ment ings ions ing ion ies ers ed es er en ly s e y'.split(' ');
const minStemLength = 4;

/** Returns the stem that a word shares with its other forms: `compact` for `compaction` and `compacted`. */
function findStem(term: string): string {
	for (const ending of wordEndings) {
		if (term.endsWith(ending) && term.length - ending.length >= minStemLength)
			return term.slice(0, -ending.length);
	}
	return term;
}
