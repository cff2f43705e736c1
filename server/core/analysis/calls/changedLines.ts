/** Finds the lines that an edit adds to its file. */

import type { ToolCall } from '../../../protocol/conversation.ts';
import { workLimits } from '../../compact/tuning.ts';
import { parseScript } from '../../files/touches/shell/script.ts';
import { listArguments, oldSideNamePattern } from '../message/source.ts';
import { findShellCommand } from '../shell/commands.ts';
import type { TextSpan } from '../text/outline.ts';
import { contentArgumentPattern } from './calls.ts';

/** The start of a patch, after the header lines that git prints for a file. */
const patchPattern =
	/^\s*(?:(?:diff|index|---|\+\+\+|new|deleted|old|similarity|rename) [^\n]*\n){0,8}(?:\*\*\* (?:Begin Patch|Update File)|@@ |[<-]{7} SEARCH\b)/;
const blockStartPattern = /^[<-]{7} SEARCH\b/;
const blockMiddlePattern = /^={7}\s*$/;
const blockEndPattern = /^[>+]{7} REPLACE\b/;

/**
 * Returns the lines that a call adds to its file or changes, in groups of adjacent lines, as `listAddedLines` does. Of shell
 * commands, only those that write a here-document.
 */
export function listWrittenLines(call: ToolCall): string[][] {
	const command = findShellCommand(call);
	if (command !== undefined) {
		const text = findWrittenDocument(command);
		return text === undefined ? [] : [text.trimEnd().split('\n')];
	}
	return listArguments(call)
		.filter(({ key }) => contentArgumentPattern.test(key) && !oldSideNamePattern.test(key))
		.flatMap(({ text, replacedText }) => listAddedLines(text, replacedText));
}

/**
 * Returns the lines that an edit adds or changes, in groups of adjacent lines; all moved lines if the edit only moves lines.
 * @param text the new text, or a patch
 * @param old the text that the new text replaces; absent for patches and whole files
 */
export function listAddedLines(text: string, old?: string): string[][] {
	const lines = text.split('\n');
	if (old !== undefined) return compareLines(old.split('\n'), lines);
	if (!patchPattern.test(text)) return [lines];
	return lines.some((line) => blockStartPattern.test(line)) ? compareBlocks(lines) : groupAddedLines(lines);
}

/** Maximum length of a changed line that is shown with its call. UTF-16 units. */
const maxShownLength = 80;

/** Returns the only line that an edit changes or adds, if it is short; undefined for other calls, and for whole files. */
export function findOnlyChangedLine(call: ToolCall): string | undefined {
	if (findShellCommand(call) !== undefined) return undefined;
	const groups = listArguments(call).flatMap(({ text, replacedText }) => {
		if (replacedText !== undefined) return listAddedLines(text, replacedText);
		return patchPattern.test(text) ? listAddedLines(text) : [];
	});
	const [line, ...others] = groups.flat().flatMap((one) => (one.trim() === '' ? [] : one.trim()));
	return line !== undefined && others.length === 0 && line.length <= maxShownLength ? line : undefined;
}

/** Returns the only here-document of a script if it becomes a file: `cat > a.ts <<'EOF'`; undefined otherwise. */
function findWrittenDocument(script: string): string | undefined {
	if (!script.includes('<<') || script.length > workLimits.maxLengthOf.command) return undefined;
	const commands = parseScript(script)?.flatMap((pipeline) => pipeline.commands) ?? [];
	const [writer, ...others] = commands.filter(({ document }) => document !== undefined);
	if (writer === undefined || others.length > 0) return undefined;
	const program = writer.words[0]?.text;
	const isRedirected = writer.redirections.some(({ operator }) => /^>[>|]?$/.test(operator));
	return program === 'tee' || (program === 'cat' && isRedirected) ? writer.document : undefined;
}

/** Returns a line with single spaces between its words, because an edit that only aligns a line says nothing new. */
function normalizeSpaces(line: string): string {
	return line.replace(/(?<=\S)\s+/g, ' ');
}

function compareLines(before: readonly string[], after: readonly string[]): string[][] {
	const limit = Math.min(before.length, after.length);
	let start = 0;
	while (start < limit && before[start] === after[start]) start++;
	let sameCount = 0;
	while (
		sameCount < limit - start &&
		before[before.length - 1 - sameCount] === after[after.length - 1 - sameCount]
	)
		sameCount++;
	const oldLines = new Set(before.slice(start, before.length - sameCount).map(normalizeSpaces));
	const newLines = after.slice(start, after.length - sameCount);
	const groups = groupLines(newLines, (line) => !oldLines.has(normalizeSpaces(line)));
	return groups.length === 0 && newLines.length > 0 ? [newLines] : groups;
}

function compareBlocks(lines: readonly string[]): string[][] {
	return listBlocks(lines).flatMap(({ before, after }) => compareLines(before, after));
}

/** Both sides of a SEARCH/REPLACE block, and the range of the old side in the text. */
interface Block {
	before: string[];
	after: string[];
	replaced: TextSpan;
}

function listBlocks(lines: readonly string[]): Block[] {
	const blocks: Block[] = [];
	let block: Block | undefined;
	let hasNewSide = false;
	let start = 0;
	for (const line of lines) {
		if (blockStartPattern.test(line)) {
			block = { before: [], after: [], replaced: { from: start, to: start } };
			hasNewSide = false;
		} else if (block && !hasNewSide && blockMiddlePattern.test(line)) {
			hasNewSide = true;
			block.replaced.to = start;
		} else if (block && hasNewSide && blockEndPattern.test(line)) {
			blocks.push(block);
			block = undefined;
		} else if (block) (hasNewSide ? block.after : block.before).push(line);
		start += line.length + 1;
	}
	return blocks;
}

/** Returns the ranges of a text that its SEARCH/REPLACE blocks replace. Their new sides repeat the lines that stay. O(length). */
export function findReplacedRanges(text: string): TextSpan[] {
	if (!text.includes('<<<<<<< SEARCH')) return [];
	return listBlocks(text.split('\n')).map(({ replaced }) => replaced);
}

function groupAddedLines(patch: readonly string[]): string[][] {
	const lines = patch.filter((line) => !/^-(?!-- )/.test(line));
	const groups = groupLines(lines, (line) => /^\+(?!\+\+ )/.test(line));
	return groups.map((group) => group.map((line) => line.slice(1)));
}

/** Returns the lines that a function selects, in groups of adjacent lines. */
function groupLines(lines: readonly string[], isSelected: (line: string) => boolean): string[][] {
	const groups: string[][] = [];
	let isOpen = false;
	for (const line of lines) {
		const isTaken = isSelected(line);
		if (isTaken && isOpen) groups.at(-1)?.push(line);
		else if (isTaken) groups.push([line]);
		isOpen = isTaken;
	}
	return groups;
}
