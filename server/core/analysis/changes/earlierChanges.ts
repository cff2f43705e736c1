/** Finds uncommitted changes from before the session. */

import type { ToolCall } from '../../../protocol/conversation.ts';
import { affectsFiles } from '../../files/touches/shell/fileChanges.ts';
import { type AnalysisCache, getFileAccess } from '../message/analyses.ts';
import type { Source } from '../message/source.ts';
import { findShellCommand } from '../shell/commands.ts';
import { type GitCommand, listGitCommands } from '../shell/gitCommands.ts';
import type { CallAnalyses, FileCall } from './fileCalls.ts';
import { readUncommittedFiles, settlingVerbPattern, type UncommittedFiles } from './uncommittedFiles.ts';

/** The head of a file's part in `git diff`, and a file's line in `git diff --stat`. */
const diffHeadPattern = /^diff --git a\/[^\n]{1,300} b\/([^\n]{1,300})$/gm;
const diffStatPattern = /^ (\S[^\n|]{0,200}) \| +(?:\d|Bin )/gm;

/** The start of an interpreter, a package manager or a build tool, whose scripts may change any file. */
const programPattern =
	/(?:^|[\s;&|(])(?:python\d?|node|deno|bunx?|ruby|perl|php|make|npx|pnpm|yarn|npm|cargo|go)\s/;

/**
 * Returns the changed files that the last `git status` or `git diff` before the session's work lists; undefined if it lists
 * none, or if a command like `git commit` or `git stash` follows. The work begins with the first edit, or with the first
 * program that may have changed files. O(messages before it).
 */
export function findEarlierChanges(
	sources: readonly Source[],
	{ outcomes, cache }: CallAnalyses,
): UncommittedFiles | undefined {
	let earlier: UncommittedFiles | undefined;
	for (const source of sources) {
		if (source.calls.some(settlesChanges)) earlier = undefined;
		if (source.calls.some((call) => mayChangeFiles(call, cache))) break;
		const outcome = outcomes.byResult.get(source);
		if (outcome?.failed === false) earlier = readChanges(source, listCommands(outcome.call)) ?? earlier;
	}
	return earlier && earlier.changed.length > 0 ? earlier : undefined;
}

function listCommands(call: ToolCall): GitCommand[] {
	return listGitCommands(findShellCommand(call) ?? '');
}

/** Whether a call may commit or drop uncommitted changes. */
function settlesChanges(call: ToolCall): boolean {
	return listCommands(call).some(({ verb }) => settlingVerbPattern.test(verb));
}

/** Whether a call may change files: it edits one, or runs a program or another agent. */
function mayChangeFiles(call: ToolCall, cache: AnalysisCache): boolean {
	const isProgram = /task|agent/i.test(call.name) || programPattern.test(findShellCommand(call) ?? '');
	return isProgram || changesFiles({ access: getFileAccess(cache, call) });
}

/** Whether a call edited, removed or otherwise changed files. */
export function changesFiles({
	access: { touches, removedPaths, changes },
}: Pick<FileCall, 'access'>): boolean {
	return removedPaths.length > 0 || changes.some(affectsFiles) || touches.some(({ kind }) => kind === 'edit');
}

/** Returns the changed files that git commands list; undefined if they list none of the working tree. */
function readChanges(report: Source, commands: readonly GitCommand[]): UncommittedFiles | undefined {
	const hasStatus = commands.some(({ verb }) => verb === 'status');
	// Other commands also print diffs, such as those of commits.
	const isDiff =
		commands.some(isWorkingDiff) && commands.every((one) => one.verb === 'status' || isWorkingDiff(one));
	if (!hasStatus && !isDiff) return undefined;
	const rows = isDiff
		? [...report.text.matchAll(diffHeadPattern), ...report.text.matchAll(diffStatPattern)]
		: [];
	const listed = hasStatus ? readUncommittedFiles(report).changed : [];
	const changed = new Set([...listed, ...rows.map(([, path = '']) => path.trim())]);
	return { changed: [...changed], untracked: [], report };
}

/** Whether a command compares the working tree with the last commit: a diff without a revision. */
function isWorkingDiff({ verb, words }: GitCommand): boolean {
	const separator = words.indexOf('--');
	const operands = separator < 0 ? words : words.slice(0, separator);
	return verb === 'diff' && operands.every((word) => word.startsWith('-'));
}
