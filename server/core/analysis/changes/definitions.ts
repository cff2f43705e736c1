/** Finds the names that edits defined in files: functions, classes, types, tables. */

import { listEditedPaths } from '../../files/findTouches.ts';
import { getFileName, mayBeSamePath } from '../../files/paths.ts';
import { listPatchedFiles, patchStart } from '../../files/touches/patch.ts';
import { getOrInsert } from '../../getOrInsert.ts';
import { listAddedLines, listWrittenLines } from '../calls/changedLines.ts';
import { listArguments } from '../message/source.ts';
import type { CallAnalyses, FileCall } from './fileCalls.ts';
import type { RemovedLines } from './removedLines.ts';

/** Maximum number of newest edits of a file that are searched. */
const maxEdits = 200;

/** Lines that define the name in their first group, in languages that agents often write. */
const definitionPatterns: readonly RegExp[] = [
	// JavaScript, TypeScript, PHP
	/^(?:export\s+)?(?:default\s+)?(?:declare\s+)?(?:abstract\s+)?(?:async\s+)?(?:function\*?|class|interface|enum)\s+(?!extends\b)([\w$]+)/,
	/^(?:export\s+)?type\s+([\w$]+)(?:<[^=<]{1,80}>)?\s+(?:=|struct\b|interface\b)/,
	/^export\s+(?:const|let)\s+([\w$]+)/,
	/^const\s+([\w$]+)\s*=\s*(?:async\s*)?(?:\(|function\b)/,
	// Python, Ruby
	/^\s{0,8}(?:async\s+)?def\s+(?:self\.)?(?!_)([\w?!]+)/,
	// Go, Swift, Kotlin
	/^\s{0,8}(?:(?:public|private|internal|open|override|suspend|static|mutating)\s+){0,4}(?:func|fun)\s+(?:\([^()]{1,80}\)\s*)?(\w+)/,
	// Rust
	/^\s{0,8}(?:pub(?:\([\w:]{1,40}\))?\s+)?(?:(?:async|unsafe|const)\s+){0,3}(?:fn|struct|trait)\s+(?!new\b|default\b)(\w+)/,
	// Java, C#
	/^\s{0,8}(?:(?:public|private|protected|internal|static|final|abstract|sealed|override|async|virtual)\s+){1,5}(?:(?:class|interface|enum|record)\s+|[\w<>[\],.?]{1,60}\s+)?(?!static\b)(\w+)\s*[({]/,
	// SQL
	/^\s{0,8}CREATE\s+(?:TABLE|VIEW|FUNCTION)\s+(?:IF\s+NOT\s+EXISTS\s+)?([\w."]+)/i,
];

/** A test file, whose names only say what it tests, or a document, whose definitions are examples. */
export const testOrDocumentPattern =
	/(?:^|[._-])(?:test|spec)s?[._-]|Tests?\.\w+$|\.(?:md|mdx|txt|rst|adoc)$/;

/** A line that names the interpreter or imports a module, such as `#include <stdio.h>`. */
export const importPattern =
	/^\s{0,8}(?:#!|#include\b|import\b|from\s+\S+\s+import\b|(?:use|using)\s[^;]*;$|package\s[\w.]+;?$)/;

/** Returns the name that a line of code defines; undefined for other lines. */
export function findDefinedName(line: string): string | undefined {
	for (const pattern of definitionPatterns) {
		const name = pattern.exec(line)?.[1];
		if (name !== undefined) return name;
	}
	return undefined;
}

/**
 * Returns the lines that an edit adds to one of the files that it changes. Of shell commands, only those with a patch or a
 * here-document.
 */
function listLinesAddedTo(path: string, { call, access }: FileCall): string[] {
	const patches = listArguments(call)
		.map(({ text }) => ({ text, parts: listPatchedFiles(text) }))
		.filter(({ parts }) => parts.length > 0);
	if (patches.length > 0)
		return patches.flatMap(({ text, parts }) =>
			parts
				.filter((part) => part.path === path)
				.flatMap(({ from, to }) => listAddedLines(`${patchStart}\n${text.slice(from, to)}`).flat()),
		);
	const isOnlyFile = access.touches.every((touch) => touch.path === path);
	return isOnlyFile ? listWrittenLines(call).flat() : [];
}

/**
 * Returns a function that lists the names that successful edits defined in a file and that the file still has, in the
 * order of their newest definition. The function reads the edits of its file only.
 */
export function createDefinitionFinder(
	{ fileCalls, undone }: CallAnalyses,
	removed: RemovedLines,
): (path: string) => string[] {
	const editsByName = new Map<string, { path: string; edit: FileCall }[]>();
	for (const edit of fileCalls) {
		if (edit.outcome?.failed || undone.has(edit.caller)) continue;
		for (const path of new Set(listEditedPaths(edit.access)))
			getOrInsert(editsByName, getFileName(path), () => []).push({ path, edit });
	}
	return (file) => {
		const edits = editsByName.get(getFileName(file))?.filter(({ path }) => mayBeSamePath(path, file)) ?? [];
		const names = new Set<string>();
		for (const { path, edit } of edits.slice(-maxEdits))
			for (const line of listLinesAddedTo(path, edit)) {
				const name = findDefinedName(line);
				if (name === undefined || removed.has(line, path)) continue;
				names.delete(name);
				names.add(name);
			}
		return [...names];
	};
}
