/** Lists the newest short changes of a session's files. */

import { findOnlyChangedLine } from '../../analysis/calls/changedLines.ts';
import { importPattern, testOrDocumentPattern } from '../../analysis/changes/definitions.ts';
import {
	type CallAnalyses,
	changesFiles,
	type FileCall,
	type TouchedFiles,
} from '../../analysis/changes/fileCalls.ts';
import { selectLasting } from '../../analysis/changes/filesTouched.ts';
import type { RemovedLines } from '../../analysis/changes/removedLines.ts';
import { getMessageName, type Source } from '../../analysis/message/source.ts';
import { findShellCommand, isOneLine, skipFolderChange } from '../../analysis/shell/commands.ts';
import { quoteLine } from '../../analysis/text/quote.ts';
import { type FileAccess, listEditedPaths } from '../../files/findTouches.ts';
import { getFileName, mayBeSamePath } from '../../files/paths.ts';

/** Maximum length of a command that is shown as the change of a file. UTF-16 units. */
const maxCommandLength = 100;
/** Maximum number of files whose newest change is looked for. */
const maxFiles = 12;

/**
 * Returns a line with the newest change of each changed file, newest files first, within `tokens` tokens, if it is a short command
 * or a single short line: `- last changes: port.ts (#12): const port = 8080; #9: sed -i s/x/y/ a.py`. O(calls).
 */
export function renderLastChanges(
	sources: readonly Source[],
	{ tokens, count }: { tokens: number; count: (text: string) => number },
	analyses: CallAnalyses & { filesAtEnd: TouchedFiles; removed: RemovedLines },
): string[] {
	const summarized = new Set(sources);
	const edits = analyses.fileCalls.filter(
		({ caller, outcome, access }) =>
			outcome?.failed === false && !analyses.undone.has(caller) && changesFiles({ access }),
	);
	const parts = new Set<string>();
	let budget = tokens - count('- last changes: ');
	for (const { path } of selectLasting(analyses.filesAtEnd.changed).slice(-maxFiles).reverse()) {
		const edit = edits.findLast(({ access }) =>
			listChangedPaths(access).some((one) => mayBeSamePath(one, path)),
		);
		const part =
			edit && summarized.has(edit.caller) ? describeChange(edit, path, analyses.removed) : undefined;
		if (part === undefined || parts.has(part)) continue;
		budget -= count(part) + 1;
		if (budget < 0) break;
		parts.add(part);
	}
	return parts.size === 0 ? [] : [`- last changes: ${[...parts].join('; ')}`];
}

/** Returns the paths of files that a call edited, moved or restored. */
function listChangedPaths(access: FileAccess): string[] {
	return [
		...listEditedPaths(access),
		...access.changes.flatMap((change) =>
			'path' in change && change.path !== undefined ? [change.path] : [],
		),
	];
}

/** A fragment that says nothing on its own: a text in quotes, or an opening bracket at the end. */
const fragmentPattern = /^["'`(][^"'`]{0,80}["'`)]?[,;]?$|[({[]$/;

/** Returns a short change of a file, with its message; undefined for other changes, and if its line is gone. */
function describeChange({ call, caller }: FileCall, path: string, removed: RemovedLines): string | undefined {
	const [message, file] = [getMessageName(caller), getFileName(path)];
	const script = findShellCommand(call)?.trim();
	if (script !== undefined) {
		const command = skipFolderChange(script);
		const isShort = command.length <= maxCommandLength && isOneLine(command);
		const name = command.includes(file) ? message : `${quoteLine(file)} (${message})`;
		return isShort ? `${name}: ${quoteLine(command)}` : undefined;
	}
	const line = findOnlyChangedLine(call);
	if (line === undefined || testOrDocumentPattern.test(path) || importPattern.test(line)) return undefined;
	if (fragmentPattern.test(line) || removed.has(line, path)) return undefined;
	return `${quoteLine(file)} (${message}): ${quoteLine(line.replace(/ {2,}/g, ' ').replace(/[,;]$/, ''))}`;
}
