/** Finds files whose edits cancel each other, so that they are as they were before: `a` became `b`, then `b` became `a`. */

import type { ToolCall } from '../../../protocol/conversation.ts';
import { type FileAccess, listEditedPaths } from '../../files/findTouches.ts';
import { getFileName, mayBeSamePath } from '../../files/paths.ts';
import { listArguments, type Source } from '../message/source.ts';
import { hasShellCommand } from '../shell/commands.ts';
import type { FileCall } from './fileCalls.ts';

/** A file whose edits were taken back, with the messages of its first and its last edit. */
export interface CancelledFile {
	path: string;
	first: Source;
	last: Source;
	/** Whether no other edited file has the same name in another folder. */
	hasUniqueName: boolean;
}

interface Replacement {
	old: string;
	new: string;
}

/** Edits of a file that no other edit has taken back. */
interface PendingEdits extends Pick<CancelledFile, 'first' | 'last'> {
	/** How often each text was replaced, by `createKey` of both texts. */
	counts: Map<string, number>;
	/** Whether something else changed the file, or a commit has one of the edits. */
	isUnclear: boolean;
}

function createKey(replaced: string, text: string): string {
	return JSON.stringify([replaced, text]);
}

const allPlacesPattern = /^(?:replace_?all|allow_?multiple)$/i;

/** Whether the arguments of an edit say that it replaces its text at all places. */
function replacesAll(args: unknown): boolean {
	if (args === null || typeof args !== 'object') return false;
	return Object.entries(args).some(([name, value]) =>
		value === true ? allPlacesPattern.test(name) : replacesAll(value),
	);
}

/** Returns the text that an edit replaces once, and the new text; undefined for other calls. */
function readReplacement(call: ToolCall | undefined): Replacement | undefined {
	if (call === undefined || hasShellCommand(call)) return undefined;
	const edits = listArguments(call).flatMap(({ text, replacedText }) =>
		replacedText === undefined ? [] : [{ old: replacedText, new: text }],
	);
	return edits.length === 1 && !replacesAll(call.args) ? edits[0] : undefined;
}

/** Adds an edit, or removes the earlier one that it takes back. */
function addReplacement(counts: Map<string, number>, { old, new: text }: Replacement): void {
	const inverse = createKey(text, old);
	const inverseCount = counts.get(inverse) ?? 0;
	if (inverseCount > 1) counts.set(inverse, inverseCount - 1);
	else if (!counts.delete(inverse)) {
		const key = createKey(old, text);
		counts.set(key, (counts.get(key) ?? 0) + 1);
	}
}

/** Whether a call changed files in ways of which only some are known: a removal, a move, a commit, a checkout. */
function hasOtherChanges({ removedPaths, changes }: FileAccess): boolean {
	return removedPaths.length > 0 || changes.some(({ type }) => type !== 'listed');
}

/** Returns the files whose edits cancel each other. `resolve` returns one path for all paths of a file. O(calls). */
export function listCancelledFiles(
	calls: readonly (Pick<FileCall, 'caller' | 'access'> & Partial<FileCall>)[],
	resolve = (path: string): string => path,
): CancelledFile[] {
	const files = new Map<string, PendingEdits>();
	const changed = new Set<PendingEdits>();
	for (const { call, caller, access } of calls) {
		const isOther = hasOtherChanges(access);
		if (isOther) {
			for (const file of changed) file.isUnclear = true;
			changed.clear();
		}
		const paths = listEditedPaths(access);
		const replacement = paths.length > 0 && !isOther ? readReplacement(call) : undefined;
		for (const path of paths.map(resolve)) {
			const file = files.get(path) ?? { first: caller, last: caller, counts: new Map(), isUnclear: false };
			files.set(path, file);
			file.last = caller;
			if (replacement) addReplacement(file.counts, replacement);
			else file.isUnclear = true;
			if (file.counts.size > 0) changed.add(file);
			else changed.delete(file);
		}
	}
	return [...files].flatMap(([path, { counts, isUnclear, first, last }]) => {
		if (isUnclear || counts.size > 0) return [];
		const name = getFileName(path);
		const hasUniqueName = [...files.keys()].every(
			(other) => getFileName(other) !== name || mayBeSamePath(other, path),
		);
		return [{ path, first, last, hasUniqueName }];
	});
}
