/** Caches analyses of a session's messages from one compaction to the next, so that each text is analysed once. */

import type { ToolCall } from '../../protocol/conversation.ts';
import { workLimits } from '../compact/tuning.ts';
import { type FileAccess, findAccessToOpenFile, findFileAccess } from '../files/findTouches.ts';
import { getOrInsert } from '../getOrInsert.ts';
import type { Seq } from '../history/record.ts';
import { type CheckRun, findShellCommand } from './commands.ts';
import { createFactIndex, type FactIndex } from './factIndex.ts';
import type { LineKeys } from './lineKeys.ts';
import type { Source } from './source.ts';
import { wordsIn } from './words.ts';

/** A text from a message that may be shown alone. */
export interface Candidate {
	/** `statement`: what the agent said or did, or a row of data. `resultLine`: a line of any other result. */
	kind: 'statement' | 'resultLine';
	text: string;
	/** Whether the text starts on a new line. */
	ownLine: boolean;
	/** Score relative to a plain sentence of the agent of the same length. */
	score: number;
	/** The score raised to `scorePower`, by which candidates are chosen. */
	weight: number;
	/** The words of the text, as `wordsIn` returns them. */
	words: readonly number[];
	/** Length in Latin letters or their equivalent. */
	length: number;
	/** The distinct facts of the text; undefined until they are computed. */
	facts?: readonly number[];
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
	/** Whether the user refused the call or it has no result, so that it may have done nothing. */
	stopped: boolean;
	/** Whether the tool's own rules rejected it, which says nothing about the work. */
	mechanical: boolean;
	/** The line that states the outcome; empty if no line does. */
	message: string;
	/** Whether the command checks or measures the work. */
	check: boolean;
	/** The checks that the call ran. */
	runs: readonly CheckRun[];
	/** The key of the call's action, as `actionOf` returns it. */
	action?: string;
}

/** A cached value, valid only for the same dependencies `under`. */
interface FoundUnder<Value> {
	under: readonly unknown[];
	value: Value;
}

/** The cached analyses, by source or call. */
export interface AnalysisCache {
	lineKeys: Map<Source, LineKeys>;
	accesses: Map<ToolCall, FileAccess>;
	/** How calls ended, by their results. */
	ends: Map<Source, FoundUnder<CallEnd>>;
	candidates: Map<Source, FoundUnder<readonly Candidate[]>>;
	/** The words of sources' texts. */
	words: Map<Source, readonly number[]>;
	/** By typed message, the sentences that state a rule. */
	rules: Map<Source, readonly FoundRule[]>;
}

/** Returns an empty cache. */
export function createAnalysisCache(): AnalysisCache {
	return {
		lineKeys: new Map(),
		accesses: new Map(),
		ends: new Map(),
		candidates: new Map(),
		words: new Map(),
		rules: new Map(),
	};
}

/** The analyses that compactions have made of a session's messages. They stay valid, since rows never change. */
export interface Reading {
	readonly factIndex: FactIndex;
	/** The analysed messages by ordinal; a summary or marker has that of the first row that it replaces. */
	readonly known: Map<Seq, Source>;
	readonly found: AnalysisCache;
	/** UTF-16 units of all texts in `known`. */
	chars: number;
}

/** Returns analyses of no messages. */
export function emptyReading(): Reading {
	return { factIndex: createFactIndex(), known: new Map(), found: createAnalysisCache(), chars: 0 };
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
	return getOrInsert(accesses, call, findFileAccess);
}

/** Records the file that a call worked on, if its result names the file and the call does not. */
export function recordOpenFile(found: AnalysisCache, call: ToolCall, { text }: Source): void {
	if (cachedFileAccess(found, call).touches.length > 0 || findShellCommand(call) !== undefined) return;
	const access = findAccessToOpenFile(call, text);
	if (access) found.accesses.set(call, access);
}

/** Returns the first file that a call touches, if any. */
export function firstFileTouch(
	found: AnalysisCache,
	call: ToolCall,
): FileAccess['touches'][number] | undefined {
	return cachedFileAccess(found, call).touches[0];
}

/** Returns the words of a source's text, cached. */
export function foundWords({ words }: AnalysisCache, source: Source): readonly number[] {
	return getOrInsert(words, source, ({ text }) => wordsIn(text.slice(0, workLimits.maxLengthOf.words)));
}
