/** Reads the edits that agents without tool calls write into their text as search-and-replace blocks. */

import type { ToolCall } from '../../protocol/conversation.ts';
import type { Source } from './source.ts';

const blockStart = /^<{5,9} SEARCH\s*$/;
const blockMiddle = /^={5,9}\s*$/;
const blockEnd = /^>{5,9} REPLACE\s*$/;
const fence = /^\s*(?:```|~~~)/;
/** A line that is only a file name, possibly in bold or code. */
const fileNameLine = /^[*`#\s]*([^\s*`:]{1,300}\.\w{1,12}|[^\s*`:]{1,300}\/[^\s*`:]{1,100})[*`:\s]*$/;

/** A sentence that only announces the block below it. */
const emptyIntroduction = /(?<=^|[.!?]\s{1,4})(?:Here(?:'s| is| are)|Below is)\b[^.!?\n]{0,120}[:：]\s*$/i;

/** How aider reports that it applied an edit, the commit that followed, and a block that it refused. */
const appliedEdit = /^Applied edit to /m;
const commitOfEdit = /^Applied edit to [\s\S]{0,2000}?^(Commit [0-9a-f]{7,40}\b[^\n]*)/m;
const refusedEdit = /^.{0,80}(?:did not conform to the edit format|SEARCH\/REPLACE blocks? failed).*/m;

/** Returns a text without its edits, and the edits as calls; their ids begin with `idPrefix`. Linear. */
export function splitEditBlocks(text: string, idPrefix: string): { text: string; calls: ToolCall[] } {
	const unchanged = { text, calls: [] };
	if (!text.includes(' SEARCH\n')) return unchanged;
	const lines = text.split('\n');
	const kept: string[] = [];
	const calls: ToolCall[] = [];
	let path: string | undefined;
	for (let index = 0; index < lines.length; index++) {
		if (!blockStart.test(lines[index] ?? '')) {
			kept.push(lines[index] ?? '');
			continue;
		}
		const middle = findLine(lines, blockMiddle, index + 1);
		const end = findLine(lines, blockEnd, middle + 1);
		path = takeFileName(kept) ?? path;
		endIntroduction(kept);
		if (end >= lines.length || path === undefined) return unchanged;
		const [oldString, newString] = [lines.slice(index + 1, middle), lines.slice(middle + 1, end)];
		const args = { file_path: path, old_string: oldString.join('\n'), new_string: newString.join('\n') };
		calls.push({ id: `${idPrefix}${calls.length}`, name: 'edit', args });
		index = fence.test(lines[end + 1] ?? '') ? end + 1 : end;
	}
	return { text: kept.join('\n'), calls };
}

/** Returns the index of the first line from `start` on that matches; the number of lines if none does. */
function findLine(lines: readonly string[], pattern: RegExp, start: number): number {
	let index = start;
	while (index < lines.length && !pattern.test(lines[index] ?? '')) index++;
	return index;
}

/** Removes the file name and the opened fence before a block from the lines; returns the name, if there is one. */
function takeFileName(lines: string[]): string | undefined {
	const isFenced = fence.test(lines.at(-1) ?? '');
	if (isFenced) lines.pop();
	const name = fileNameLine.exec(lines.at(-1) ?? '')?.[1];
	if (name === undefined) return undefined;
	lines.pop();
	if (!isFenced && fence.test(lines.at(-1) ?? '')) lines.pop();
	return name;
}

/** Ends the sentence that introduced a block, which is no longer below it, with a stop; an empty one is removed. */
function endIntroduction(lines: string[]): void {
	const index = lines.findLastIndex((line) => line.trim() !== '');
	const line = lines[index];
	if (line !== undefined) lines[index] = line.replace(emptyIntroduction, '').replace(/[:：]\s*$/, '.');
}

/** Returns what a message reports about the edits in the text before it; undefined if it reports nothing. */
export function readEditReport({ role, text }: Source): { failed: boolean; message: string } | undefined {
	if (role === 'assistant' || role === 'tool') return undefined;
	const refusal = refusedEdit.exec(text)?.[0];
	if (refusal !== undefined) return { failed: true, message: refusal.trim() };
	if (!appliedEdit.test(text)) return undefined;
	return { failed: false, message: commitOfEdit.exec(text)?.[1]?.trim() ?? '' };
}
