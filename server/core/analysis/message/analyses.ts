/** Caches analyses of a session's messages between compactions: each text is analysed only once. */

import type { ToolCall } from '../../../protocol/conversation.ts';
import { workLimits } from '../../compact/tuning.ts';
import { type FileAccess, findAccessToOpenFile, findFileAccess } from '../../files/findTouches.ts';
import { getOrInsert } from '../../getOrInsert.ts';
import type { Seq } from '../../history/record.ts';
import { hasShellCommand } from '../shell/commands.ts';
import { hashWords } from '../text/hashes.ts';
import { type OutlineLine, readOutline, type TextSpan } from '../text/outline.ts';
import type { CallOutcome } from './callOutcome.ts';
import { createFactIndex, type FactIndex } from './factIndex.ts';
import type { LineKeys } from './lineKeys.ts';
import { type MessagePart, splitPastedOutput } from './pasted.ts';
import type { Source } from './source.ts';

/** A text of a message that a summary can show on its own. */
export interface Candidate {
	/** `statement`: a sentence, a call, or a line of JSON data. `resultLine`: a line of a file or other output. */
	kind: 'statement' | 'resultLine';
	text: string;
	/** The range of a sentence's lines in the text of its message; absent for other texts. */
	span?: TextSpan;
	/** The lines of a document over which a sentence goes, if there are several: an edit may have removed one of them. */
	wrappedLines?: readonly string[];
	/** Whether the text is a line of a data row. Rows with similar words are different objects. */
	isRow?: boolean;
	/** Whether the text is part of a command's template in a typed message, not the user's own words. */
	isOfTemplate?: boolean;
	/** Whether the text only announces the calls of its message, which only read. */
	announcesReading?: boolean;
	/** Whether the text starts on a new line. */
	isOnNewLine: boolean;
	/** Score relative to a plain sentence of the agent of the same length. */
	score: number;
	/** The score raised to `scorePower`. Candidates are chosen by weight. */
	weight: number;
	/** The words of the text, as `hashWords` returns them. */
	words: readonly number[];
	/** Length in Latin letters or their equivalent. */
	length: number;
	/** The distinct facts of the text; undefined until they are computed. */
	facts?: readonly number[];
}

/** A sentence that states a rule. */
export interface FoundRule {
	text: string;
	/** Whether it is strict (`must`, `never`). */
	isStrict: boolean;
	/** Whether it belongs to a command's template. */
	isOfTemplate: boolean;
}

/** Sentences of a message of the agent, and the later sentence that corrects them. */
export interface CorrectedClaim {
	/** All sentences that share names or words with the correction. */
	claims: string[];
	correction: string;
	/** The message that contains the correction. */
	correctionSource: Source;
}

/** The corrections in a message. */
export interface MessageCorrections {
	ofEarlier: readonly CorrectingWords[];
	/** Sentences that the next sentence of the message corrects or limits. */
	ofItself: readonly CorrectedClaim[];
}

/** Words that correct earlier messages. */
export interface CorrectingWords {
	text: string;
	/** Number of messages before the correction that are searched for what it corrects. */
	reach: number;
}

/** The subject of a statement, and the values that it states. */
export interface Topic {
	/** Stems of the statement's words. */
	stems: ReadonlySet<string>;
	/** Stems of each sentence's words. */
	sentences: readonly ReadonlySet<string>[];
	/** The values by kind (`#euros`, `#date`, `name`). */
	values: ReadonlyMap<string, ReadonlySet<string>>;
	/** Paths, addresses and other names from code. Statements with different names are about different things. */
	codeNames: readonly string[];
	isChange: boolean;
}

/** A cached value, valid only for the same dependencies. */
interface CachedValue<Value> {
	dependencies: readonly unknown[];
	value: Value;
}

/** The cached analyses, by source or call. */
export interface AnalysisCache {
	lineKeys: Map<Source, LineKeys>;
	fileAccesses: Map<ToolCall, FileAccess>;
	/** How calls ended, by their results. */
	outcomes: Map<Source, CachedValue<CallOutcome>>;
	candidates: Map<Source, CachedValue<readonly Candidate[]>>;
	/** The words of sources' texts. */
	words: Map<Source, readonly number[]>;
	/** The sentences of a typed message that state a rule. */
	rules: Map<Source, readonly FoundRule[]>;
	/** Typed messages, split into the user's own words and pasted output. */
	messageParts: Map<Source, readonly MessagePart[]>;
	/** The subjects and values of typed messages. */
	topics: Map<Source, CachedValue<Topic>>;
	/** Where an agent's message corrects itself or earlier messages. */
	corrections: Map<Source, MessageCorrections>;
	/** The lines of output that the user pasted into a typed message. */
	pastedLines: Map<Source, ReadonlySet<string>>;
	/** The number of lines of results, without what tools add. */
	lineCounts: Map<Source, number>;
	/** The lines of messages with those that they are under. */
	outlines: Map<Source, readonly OutlineLine[]>;
}

/** Returns an empty cache. */
export function createAnalysisCache(): AnalysisCache {
	return {
		lineKeys: new Map(),
		fileAccesses: new Map(),
		outcomes: new Map(),
		candidates: new Map(),
		words: new Map(),
		rules: new Map(),
		messageParts: new Map(),
		topics: new Map(),
		corrections: new Map(),
		pastedLines: new Map(),
		lineCounts: new Map(),
		outlines: new Map(),
	};
}

/** Cached analyses of a session's messages. They stay valid, because rows never change. */
export interface MessageAnalyses {
	readonly factIndex: FactIndex;
	/** Analysed messages by `seq`; a summary or marker has the `seq` of the first row that it replaces. */
	readonly sources: Map<Seq, Source>;
	readonly cache: AnalysisCache;
	/** The first assistant message of the session, visible or hidden; absent if there is none. */
	firstAnswerSeq?: Seq;
	/** UTF-16 units of all texts in `sources`. */
	textLength: number;
}

/** Returns analyses without any message. */
export function createMessageAnalyses(): MessageAnalyses {
	return { factIndex: createFactIndex(), sources: new Map(), cache: createAnalysisCache(), textLength: 0 };
}

/** Returns the cached value of a source if its dependencies are the same; otherwise calls `compute`. */
export function memoize<Value>(
	cache: Map<Source, CachedValue<Value>>,
	source: Source,
	dependencies: readonly unknown[],
	compute: () => Value,
): Value {
	const earlier = cache.get(source);
	if (
		earlier?.dependencies.length === dependencies.length &&
		earlier.dependencies.every((one, index) => one === dependencies[index])
	) {
		return earlier.value;
	}
	const value = compute();
	cache.set(source, { dependencies, value });
	return value;
}

/** Returns what a call does to files, cached. */
export function getFileAccess({ fileAccesses }: AnalysisCache, call: ToolCall): FileAccess {
	return getOrInsert(fileAccesses, call, findFileAccess);
}

/** Records the file that a call accessed, if only its result names the file. */
export function recordOpenFile(cache: AnalysisCache, call: ToolCall, { text }: Source): void {
	if (getFileAccess(cache, call).touches.length > 0 || hasShellCommand(call)) return;
	const access = findAccessToOpenFile(call, text);
	if (access) cache.fileAccesses.set(call, access);
}

/** Returns the first file that a call touches, if any. */
export function getFirstFileTouch(
	cache: AnalysisCache,
	call: ToolCall,
): FileAccess['touches'][number] | undefined {
	return getFileAccess(cache, call).touches[0];
}

/** Returns the path of the file that a call touches; undefined if it touches no file or several. */
export function getOnlyFilePath(cache: AnalysisCache, call: ToolCall | undefined): string | undefined {
	const [first, ...others] = call === undefined ? [] : getFileAccess(cache, call).touches;
	return others.every(({ path }) => path === first?.path) ? first?.path : undefined;
}

/** Returns the parts of a typed message, cached. */
export function getMessageParts({ messageParts }: AnalysisCache, source: Source): readonly MessagePart[] {
	return getOrInsert(messageParts, source, ({ text, rows }) =>
		splitPastedOutput(text, new Set(rows?.flatMap(({ lines }) => lines))),
	);
}

/** Whether the positions of candidates and quotations of a message are those in its text: it is all the user's own words. */
export function hasExactPositions(cache: AnalysisCache, source: Source): boolean {
	if (source.role !== 'user' || source.isInjected) return source.role === 'assistant';
	const [first, ...others] = getMessageParts(cache, source);
	return first?.isPasted === false && !first.isTemplate && others.length === 0;
}

/** Returns the outline of a source's text, cached. */
export function getOutline({ outlines }: AnalysisCache, source: Source): readonly OutlineLine[] {
	return getOrInsert(outlines, source, ({ text }) => readOutline(text));
}

/** Returns the words of a source's text, cached. */
export function getWordHashes({ words }: AnalysisCache, source: Source): readonly number[] {
	return getOrInsert(words, source, ({ text }) => hashWords(text.slice(0, workLimits.maxLengthOf.words)));
}
