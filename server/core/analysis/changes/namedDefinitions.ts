/** Finds where the names of a text are defined, as results of the session showed it. */

import { getFileName, mayBeSamePath } from '../../files/paths.ts';
import { getOrInsert } from '../../getOrInsert.ts';
import { getOnlyFilePath } from '../message/analyses.ts';
import type { FactIndex } from '../message/factIndex.ts';
import type { Source } from '../message/source.ts';
import { skipLineNumber } from '../text/lineNumbers.ts';
import { findFacts, type TextSegment } from '../text/scan.ts';
import { findDefinedName, testOrDocumentPattern } from './definitions.ts';
import type { CallAnalyses, TouchedFiles } from './fileCalls.ts';
import type { RemovedLines } from './removedLines.ts';

/** Number of newest messages that are searched. */
const maxMessages = 4000;
/** Maximum number of definitions. A longer request is a plan, whose steps name more than the next one needs. */
const maxDefinitions = 8;

/** A file, and the names of a text that it defines. */
export interface NamedFile {
	path: string;
	/** Each name with its line, from 1; without it if it is unknown, or if the file changed since. */
	definitions: { name: string; line?: number }[];
}

interface DefinitionContext extends CallAnalyses {
	filesAtEnd: TouchedFiles;
	removed: RemovedLines;
}

interface FoundDefinition {
	name: string;
	path: string;
	line?: number;
}

/** The start of a line that a search prints: `src/rows.ts:12:` of a match, `src/rows.ts-13-` of a line next to one. */
const matchedLinePattern = /^([^\s:]{1,300})(?::(\d{1,9}):|-(\d{1,9})-)/;
/** The number of a line, if the result is about one file. */
const lineNumberPattern = /^ *(?:Line )?(\d{1,9})/;

/**
 * Returns the newest definition of each name in a text that results show outside of tests, by file, without removed lines.
 * The messages must be in the index. O(facts of the newest messages).
 */
export function findNamedDefinitions(
	text: string,
	sources: readonly Source[],
	{ facts, entries }: FactIndex,
	analyses: DefinitionContext,
): NamedFile[] {
	const wanted = findFacts(facts, text).filter((fact) => facts.kinds[fact] === 'identifier');
	const found = new Map<number, FoundDefinition>();
	const newest = sources.slice(-maxMessages).filter(({ role, failed }) => role === 'tool' && !failed);
	for (const source of newest.toReversed()) {
		const { ownFacts = [], segments = [] } = entries.get(source.seq) ?? {};
		for (const fact of wanted) {
			if (found.has(fact) || !ownFacts.includes(fact)) continue;
			const definition = segments
				.filter((segment) => segment.facts.includes(fact))
				.flatMap((segment) => readLines(source.text, segment))
				.flatMap((line) => readDefinition(line, source, analyses))
				.find(({ name }) => findFacts(facts, name)[0] === fact);
			if (definition) found.set(fact, definition);
		}
	}
	const files = new Map<string, NamedFile>();
	const definitions = wanted.flatMap((fact) => found.get(fact) ?? []).slice(0, maxDefinitions);
	for (const { path, ...definition } of definitions) {
		const knownPath = [...files.keys()].find((one) => mayBeSamePath(one, path)) ?? path;
		getOrInsert(files, knownPath, () => ({ path, definitions: [] })).definitions.push(definition);
	}
	return [...files.values()];
}

/** Returns the lines of a segment, the first one with what stands before the segment: a line number. */
function readLines(text: string, { from, to }: TextSegment): string[] {
	return text.slice(text.lastIndexOf('\n', from) + 1, to).split('\n');
}

/** Returns the definition on a line of a result, if there is one and it was not removed. */
function readDefinition(
	line: string,
	source: Source,
	{ outcomes, cache, filesAtEnd, removed }: DefinitionContext,
): FoundDefinition[] {
	const matched = matchedLinePattern.exec(line);
	const path = matched?.[1] ?? getOnlyFilePath(cache, outcomes.byResult.get(source)?.reader);
	if (path === undefined || testOrDocumentPattern.test(getFileName(path))) return [];
	const code = matched ? line.slice(matched[0].length) : line.slice(skipLineNumber(line, 0));
	const name = findDefinedName(code);
	if (name === undefined || removed.has(code.trim(), path)) return [];
	const number = matched
		? (matched[2] ?? matched[3])
		: lineNumberPattern.exec(code === line ? '' : line)?.[1];
	const isChanged = filesAtEnd.changed.some(
		(file) => file.seq > source.seq && mayBeSamePath(file.path, path),
	);
	return [{ name, path, line: isChanged || number === undefined ? undefined : Number(number) }];
}
