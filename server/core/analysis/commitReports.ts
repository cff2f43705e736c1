/** Finds messages that may have committed changes, or report that the user did. */

import type { ToolCall } from '../../protocol/conversation.ts';
import { type AnalysisCache, getFileAccess } from './analyses.ts';
import { findShellCommand, removeDocumentsAndComments } from './commands.ts';
import type { Source } from './source.ts';
import { isTyped } from './userStatements.ts';

/** A command that commits, or may run a script that does. */
const commitCommandPattern = /\bcommit|check-?in\b|release|publish|deploy|\bship\b|\bjj\b/i;
/** A user's report of a commit: "I committed it". */
const userReportPattern = /\bcommitted\b|\bcommittet\b|コミットし(?:た|まし)|提交了|已提交/i;

/** Whether a command or a sub-agent may have committed, or a user says that something was committed. */
export function mayHaveCommitted(source: Source): boolean {
	return reportsCommit(source) || source.calls.some(({ name }) => /task|agent/i.test(name));
}

/** Whether a command may have committed, or a user says that something was committed. */
export function reportsCommit(source: Source): boolean {
	if (isTyped(source)) return userReportPattern.test(source.text);
	return source.calls.some((call) => {
		const command = findShellCommand(call) ?? call.name;
		return (
			commitCommandPattern.test(command) && commitCommandPattern.test(removeDocumentsAndComments(command))
		);
	});
}

/** A command that takes commits off the branch: `git reset --soft HEAD~2`, `git reset HEAD^`. */
const resetPattern = /\bgit (?:-C \S{1,200} )?reset(?:\s+--?[\w-]{1,20}){0,4}\s+(?:HEAD|@)(?:~(\d{0,3})|\^)/;

/** Returns the number of newest commits that a successful call takes back, by a reset or a new commit. */
export function countTakenBack(call: ToolCall, cache: AnalysisCache): number {
	const [match, count] = resetPattern.exec(findShellCommand(call) ?? '') ?? [];
	if (match !== undefined) return Number(count || 1);
	return getFileAccess(cache, call).changes.some(({ type }) => type === 'reverted') ? 1 : 0;
}
