/** What was found in the texts of a session: each is looked through once, as long as it is kept. */

import type { ToolCall } from '../../../protocol/conversation.ts';
import { accessToOpenFile } from '../../files/openFile.ts';
import { type FileAccess, fileAccessOf } from '../../files/touchesOf.ts';
import { getOrInsert } from '../../getOrInsert.ts';
import { type Column, column, numberOf, push } from '../columns.ts';
import type { Source } from '../ledger/source.ts';
import { tuning, workLimits } from '../tuning.ts';
import type { Candidate, WordNumbers } from './candidates.ts';
import type { CheckRun } from './checkRuns.ts';
import { cleanText } from './clean.ts';
import { commandOf } from './commands.ts';
import { cueScore } from './cues.ts';
import { extentOf } from './extent.ts';
import type { LineKeys } from './lineKeys.ts';
import { type Sentence, sentencesOf } from './sentences.ts';
import { wordsIn } from './words.ts';

/** A sentence, or a line of code in prose. */
export interface FoundSentence {
	text: string;
	/** Where it begins in its text. UTF-16 units. */
	from: number;
	/** Stands on a line of its own. */
	ownLine: boolean;
	/** Score next to a plain sentence, by its words and its place. */
	score: number;
	/** As `wordsIn` gives them. */
	words: readonly number[];
}

/** A line of a result that says something. */
export type FoundLine = Pick<FoundSentence, 'text' | 'words'>;

/** What was found for something that may be seen in another light later: it holds `under` the same things alone. */
interface FoundUnder<Value> {
	under: readonly unknown[];
	value: Value;
}

/** A sentence that lays down a rule, and whether its words bind (`must`, `never`). */
export interface FoundRule {
	text: string;
	strict: boolean;
}

/** How a call ended, as its result alone says it. */
export interface CallEnd {
	result: Source;
	exitCode?: number;
	failed: boolean;
	/** Says itself that it failed, though no exit code does: in a pipe the last command's counts. */
	fell: boolean;
	/** Refused by the user, or left without a result: it may have done nothing. */
	stopped: boolean;
	/** A failure of the tool's own rules, which says nothing of the work. */
	mechanical: boolean;
	/** The line that tells the outcome; empty where none does. */
	message: string;
	/** Whether the command checks or measures the work. */
	check: boolean;
	/** The checks that it ran. */
	runs: readonly CheckRun[];
	/** What it did, to be compared with others. */
	action?: string;
}

/** Neighbours in columns, `from..to`. */
export interface Range {
	from: number;
	to: number;
}

/** By source or call, what was found in it. */
export interface Found {
	lineKeys: Map<Source, LineKeys>;
	accesses: Map<ToolCall, FileAccess>;
	/** By result, how its call ended. */
	ends: Map<Source, FoundUnder<CallEnd>>;
	/** What it says, in pieces. */
	candidates: Map<Source, FoundUnder<readonly Candidate[]>>;
	/** Numbers of words. */
	numbers: WordNumbers;
	/** By source, where the numbers of the words of its text stand among those of all. */
	texts: Map<Source, Range>;
	/** By typed message, the sentences that lay down a rule. */
	rules: Map<Source, readonly FoundRule[]>;
	words: Column;
}

/** Of nothing yet. */
export function createFound(): Found {
	return {
		lineKeys: new Map(),
		accesses: new Map(),
		ends: new Map(),
		candidates: new Map(),
		numbers: new Map(),
		texts: new Map(),
		rules: new Map(),
		words: column(),
	};
}

/** What is known of a source where it was found under the very same things, else what `find` gives. */
export function foundUnder<Value>(
	known: Map<Source, FoundUnder<Value>>,
	source: Source,
	under: readonly unknown[],
	find: () => Value,
): Value {
	const before = known.get(source);
	if (before?.under.length === under.length && before.under.every((one, index) => one === under[index])) {
		return before.value;
	}
	const value = find();
	known.set(source, { under, value });
	return value;
}

/** What a call does to files, as `fileAccessOf` gives it. */
export function foundAccess({ accesses }: Found, call: ToolCall): FileAccess {
	return getOrInsert(accesses, call, fileAccessOf);
}

/** Records the file that a call worked on, if the call does not name it and its result does. */
export function noteOpenFile(found: Found, call: ToolCall, { text }: Source): void {
	if (foundAccess(found, call).touches.length > 0 || commandOf(call) !== undefined) return;
	const access = accessToOpenFile(call, text);
	if (access) found.accesses.set(call, access);
}

/** The file that a call touches first, where it touches any. */
export function foundTouch(found: Found, call: ToolCall): FileAccess['touches'][number] | undefined {
	return foundAccess(found, call).touches[0];
}

/** The words of a source's text, by their numbers: where they stand among those of all. */
export function foundWords({ texts, words, numbers }: Found, source: Source): Range {
	return getOrInsert(texts, source, ({ text }) => {
		const from = words.length;
		for (const word of wordsIn(text.slice(0, workLimits.maxLengthOf.words)))
			push(words, numberOf(numbers, word));
		return { from, to: words.length };
	});
}

/** The sentences of a text. */
export function findSentences(text: string): FoundSentence[] {
	const all = sentencesOf(text);
	const found: FoundSentence[] = [];
	for (const [index, sentence] of all.entries()) {
		const { text, from, ownLine, code } = sentence;
		const place = index === 0 || index === all.length - 1 ? tuning.scores.edge : 1;
		const score = (code ? tuning.scores.quoted : cueScore(text)) * place;
		const one = { text, from, ownLine, score, words: wordsIn(text) };
		const before = found.at(-1);
		if (before && isIntroduced(sentence, all[index - 1], before)) found.splice(-1, 1, together(before, one));
		else found.push(one);
	}
	return found;
}

/** What announces what stands below it. */
const introducing = /[:：][^\w:：]*$/;

/** What an item of a list is called, with nothing of what it says: `- **Branch:**`. */
const itemName =
	/^(?:(?:[-*+•]|\d{1,3}[.)])\s+)?\*\*[^*\n]{1,60}\*\*[:：]?$|^(?:[-*+•]|\d{1,3}[.)])\s+[^.!?\n]{1,48}[:：]$/;

/** Whether what stands above or before a line, as far as it was found, says nothing without it. Lines of code introduce none. */
function isIntroduced(line: Sentence, before: Sentence | undefined, found: FoundSentence): boolean {
	if (before === undefined || before.code) return false;
	if (!line.ownLine && !itemName.test(before.text)) return false;
	return (
		introducing.test(found.text) && extentOf(found.text) + extentOf(line.text) < tuning.lengths.maxSentence
	);
}

function together(before: FoundSentence, after: FoundSentence): FoundSentence {
	const [own, other] = [before.text.length, after.text.length];
	return {
		...before,
		text: `${before.text}${after.ownLine ? '\n' : ' '}${after.text}`,
		score: (before.score * own + after.score * other) / (own + other),
		words: [...new Set([...before.words, ...after.words])],
	};
}

/** The lines of a result as a reader wants them. */
export function findLines(text: string): FoundLine[] {
	return cleanText(text)
		.split('\n')
		.map((line): FoundLine => ({ text: line, words: wordsIn(line) }));
}
