/** Cached analyses of a session's texts: each text is analysed once. */

import type { ToolCall } from '../../protocol/conversation.ts';
import { accessToOpenFile } from '../files/openFile.ts';
import { type FileAccess, fileAccessOf } from '../files/touchesOf.ts';
import { getOrInsert } from '../getOrInsert.ts';
import { appendNumber, assignNumber, type Column, createColumn } from '../compact/columns.ts';
import type { Source } from './source.ts';
import { tuning, workLimits } from '../compact/tuning.ts';
import type { Candidate, WordNumbers } from './candidates.ts';
import type { CheckRun } from './checkRuns.ts';
import { cleanText } from './clean.ts';
import { findShellCommand } from './commands.ts';
import { cueScore } from './cues.ts';
import { latinLength } from './latinLength.ts';
import type { LineKeys } from './lineKeys.ts';
import { type Sentence, sentencesOf } from './sentences.ts';
import { wordsIn } from './words.ts';

/** A sentence, or a line of code in prose. */
export interface FoundSentence {
	text: string;
	/** Where it begins in its text. UTF-16 units. */
	from: number;
	/** Whether it starts on a new line. */
	ownLine: boolean;
	/** Score relative to a plain sentence, by its words and its position. */
	score: number;
	/** As `wordsIn` returns them. */
	words: readonly number[];
}

/** A line of a result, without what only tools need. */
export type FoundLine = Pick<FoundSentence, 'text' | 'words'>;

/** A cached value, valid only for the same dependencies `under`. */
interface FoundUnder<Value> {
	under: readonly unknown[];
	value: Value;
}

/** A sentence that states a rule, and whether the rule is strict (`must`, `never`). */
export interface FoundRule {
	text: string;
	strict: boolean;
}

/** How a call ended, judged by its result alone. */
export interface CallEnd {
	result: Source;
	exitCode?: number;
	failed: boolean;
	/** Whether the output reports a failure that the exit code hides: a pipe returns its last command's. */
	fell: boolean;
	/** Whether the user refused it or it has no result: it may have done nothing. */
	stopped: boolean;
	/** Whether the tool's own rules rejected it, which says nothing about the work. */
	mechanical: boolean;
	/** The line that states the outcome; empty if none does. */
	message: string;
	/** Whether the command checks or measures the work. */
	check: boolean;
	/** The checks that it ran. */
	runs: readonly CheckRun[];
	/** The key of its action, as `actionOf` returns it. */
	action?: string;
}

/** The range `from..to` of a column. */
export interface ColumnRange {
	from: number;
	to: number;
}

/** The cached analyses, by source or call. */
export interface AnalysisCache {
	lineKeys: Map<Source, LineKeys>;
	accesses: Map<ToolCall, FileAccess>;
	/** By result, how its call ended. */
	ends: Map<Source, FoundUnder<CallEnd>>;
	/** By source, its candidates. */
	candidates: Map<Source, FoundUnder<readonly Candidate[]>>;
	/** Numbers of words. */
	numbers: WordNumbers;
	/** By source, the range of its text's word numbers in `words`. */
	texts: Map<Source, ColumnRange>;
	/** By typed message, the sentences that state a rule. */
	rules: Map<Source, readonly FoundRule[]>;
	words: Column;
}

/** Returns an empty cache. */
export function createAnalysisCache(): AnalysisCache {
	return {
		lineKeys: new Map(),
		accesses: new Map(),
		ends: new Map(),
		candidates: new Map(),
		numbers: new Map(),
		texts: new Map(),
		rules: new Map(),
		words: createColumn(),
	};
}

/** Returns the cached value of a source if it was found with the same dependencies; otherwise calls `find`. */
export function memoize<Value>(
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

/** Returns what a call does to files, cached. */
export function cachedFileAccess({ accesses }: AnalysisCache, call: ToolCall): FileAccess {
	return getOrInsert(accesses, call, fileAccessOf);
}

/** Records the file that a call worked on, if the call does not name it and its result does. */
export function recordOpenFile(found: AnalysisCache, call: ToolCall, { text }: Source): void {
	if (cachedFileAccess(found, call).touches.length > 0 || findShellCommand(call) !== undefined) return;
	const access = accessToOpenFile(call, text);
	if (access) found.accesses.set(call, access);
}

/** Returns the first file that a call touches, if any. */
export function firstFileTouch(
	found: AnalysisCache,
	call: ToolCall,
): FileAccess['touches'][number] | undefined {
	return cachedFileAccess(found, call).touches[0];
}

/** Returns where the word numbers of a source's text are in `words`. */
export function foundWords({ texts, words, numbers }: AnalysisCache, source: Source): ColumnRange {
	return getOrInsert(texts, source, ({ text }) => {
		const from = words.length;
		for (const word of wordsIn(text.slice(0, workLimits.maxLengthOf.words)))
			appendNumber(words, assignNumber(numbers, word));
		return { from, to: words.length };
	});
}

/** Returns the scored sentences of a text; a sentence that introduces the next is joined with it. */
export function findSentences(text: string): FoundSentence[] {
	const all = sentencesOf(text);
	const found: FoundSentence[] = [];
	for (const [index, sentence] of all.entries()) {
		const { text, from, ownLine, code } = sentence;
		const place = index === 0 || index === all.length - 1 ? tuning.scores.edge : 1;
		const score = (code ? tuning.scores.quoted : cueScore(text)) * place;
		const one = { text, from, ownLine, score, words: wordsIn(text) };
		const before = found.at(-1);
		if (before && isIntroduced(sentence, all[index - 1], before))
			found.splice(-1, 1, joinSentences(before, one));
		else found.push(one);
	}
	return found;
}

/** A colon at the end of a line, which introduces what follows. */
const introducing = /[:：][^\w:：]*$/;

/** The name of a list item without its content: `- **Branch:**`. */
const itemName =
	/^(?:(?:[-*+•]|\d{1,3}[.)])\s+)?\*\*[^*\n]{1,60}\*\*[:：]?$|^(?:[-*+•]|\d{1,3}[.)])\s+[^.!?\n]{1,48}[:：]$/;

/** Whether a line belongs to the introduction before it, which means nothing alone. Code introduces nothing. */
function isIntroduced(line: Sentence, before: Sentence | undefined, found: FoundSentence): boolean {
	if (before === undefined || before.code) return false;
	if (!line.ownLine && !itemName.test(before.text)) return false;
	return (
		introducing.test(found.text) &&
		latinLength(found.text) + latinLength(line.text) < tuning.lengths.maxSentence
	);
}

function joinSentences(before: FoundSentence, after: FoundSentence): FoundSentence {
	const [own, other] = [before.text.length, after.text.length];
	return {
		...before,
		text: `${before.text}${after.ownLine ? '\n' : ' '}${after.text}`,
		score: (before.score * own + after.score * other) / (own + other),
		words: [...new Set([...before.words, ...after.words])],
	};
}

/** Returns the lines of a result without what only tools need. */
export function findLines(text: string): FoundLine[] {
	return cleanText(text)
		.split('\n')
		.map((line): FoundLine => ({ text: line, words: wordsIn(line) }));
}
