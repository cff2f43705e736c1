/** What was found in the texts of a session: each is looked through once, as long as it is kept. */

import type { Source } from '../ledger/source.ts';
import { cleanText } from './clean.ts';
import { cueWorth } from './cues.ts';
import type { LineKeys } from './lineKeys.ts';
import { sentencesOf } from './sentences.ts';
import { edge, worths } from './tuning.ts';
import { wordsIn } from './words.ts';

/** A sentence, or a line of code in prose. */
export interface FoundSentence {
	text: string;
	/** Where it begins in its text. UTF-16 units. */
	from: number;
	/** Stands on a line of its own. */
	ownLine: boolean;
	/** What it is worth beside a plain sentence, by its words and its place. */
	worth: number;
	/** As `wordsIn` gives them. */
	words: readonly number[];
}

/** A line of a result that says something. */
export type FoundLine = Pick<FoundSentence, 'text' | 'words'>;

/** By text or source, what was found in it. */
export interface Found {
	sentences: Map<string, readonly FoundSentence[]>;
	lines: Map<string, readonly FoundLine[]>;
	lineKeys: Map<Source, LineKeys>;
}

/** Of nothing yet. */
export function createFound(): Found {
	return { sentences: new Map(), lines: new Map(), lineKeys: new Map() };
}

/** The sentences of a text. */
export function foundSentences({ sentences }: Found, text: string): readonly FoundSentence[] {
	const known = sentences.get(text);
	if (known) return known;
	const all = sentencesOf(text);
	const found = all.map(({ text, from, ownLine, code }, index): FoundSentence => {
		const place = index === 0 || index === all.length - 1 ? edge : 1;
		return {
			text,
			from,
			ownLine,
			worth: (code ? worths.code : cueWorth(text)) * place,
			words: wordsIn(text),
		};
	});
	sentences.set(text, found);
	return found;
}

/** The lines of a result as a reader wants them. */
export function foundLines(
	{ lines }: Found,
	text: string,
	ends: (text: string) => string,
): readonly FoundLine[] {
	const known = lines.get(text);
	if (known) return known;
	const found = cleanText(ends(text))
		.split('\n')
		.map((line): FoundLine => ({ text: line, words: wordsIn(line) }));
	lines.set(text, found);
	return found;
}
