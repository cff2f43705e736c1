/** Finds where the names of a text are defined, as results of the session showed it. */

import { getFileName, mayBeSamePath } from '../files/paths.ts';
import { getOnlyFilePath } from './analyses.ts';
import { findDefinedName, testOrDocumentPattern } from './definitions.ts';
import type { FactIndex } from './factIndex.ts';
import type { CallAnalyses, TouchedFiles } from './filesTouched.ts';
import { skipLineNumber } from './lineNumbers.ts';
import type { RemovedLines } from './removedLines.ts';
import { findFacts } from './scan.ts';
import type { Source } from './source.ts';

/** Number of newest messages that are searched. */
const maxMessages = 4000;

/** A name with the place of its definition. */
export interface NamedDefinition {
	name: string;
	path: string;
	/** Line from 1; undefined if it is unknown, or if the file changed since. */
	line?: number;
}

/** A line of a search's result, with its file and number: `src/rows.ts:12:`, or `src/rows.ts-13-` for a line beside. */
const matchedLinePattern = /^([^\s:]{1,300})(?::(\d{1,9}):|-(\d{1,9})-)/;
/** The number of a line, if the result is about one file. */
const lineNumberPattern = /^ *(?:Line )?(\d{1,9})/;

/**
 * Returns the newest definition that a result shows of each name in a text, in the order of the names outside of tests, without
 * removed lines. The messages must be in the index. O(facts of the newest messages).
 */
export function findNamedDefinitions(
	text: string,
	sources: readonly Source[],
	{ facts, entries }: FactIndex,
	analyses: CallAnalyses & { filesAtEnd: TouchedFiles; removed: RemovedLines },
): NamedDefinition[] {
	const wanted = findFacts(facts, text).filter((fact) => facts.kinds[fact] === 'identifier');
	const found = new Map<number, NamedDefinition>();
	const newest = sources.slice(-maxMessages).filter(({ role, failed }) => role === 'tool' && !failed);
	for (const source of newest.toReversed()) {
		if (found.size === wanted.length) break;
		const entry = entries.get(source.seq);
		const missing = wanted.filter((fact) => !found.has(fact) && entry?.ownFacts.includes(fact));
		for (const fact of missing) {
			const segments = entry?.segments.filter((segment) => segment.facts.includes(fact)) ?? [];
			for (const { from, to } of segments) {
				const start = source.text.lastIndexOf('\n', from) + 1;
				const definitions = source.text
					.slice(start, to)
					.split('\n')
					.flatMap((line) => readDefinition(line, source, analyses));
				const definition = definitions.find(({ name }) => findFacts(facts, name)[0] === fact);
				if (definition) found.set(fact, definition);
			}
		}
	}
	return wanted.flatMap((fact) => found.get(fact) ?? []);
}

/** Returns the definition on a line of a result, if there is one and it was not removed. */
function readDefinition(
	line: string,
	source: Source,
	{
		outcomes,
		cache,
		filesAtEnd,
		removed,
	}: CallAnalyses & { filesAtEnd: TouchedFiles; removed: RemovedLines },
): NamedDefinition[] {
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
