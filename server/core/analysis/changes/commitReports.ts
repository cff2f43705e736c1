/** Finds messages that may have committed changes, or report that the user did. */

import { isTemporary } from '../../files/paths.ts';
import type { ShellFileChange } from '../../files/touches/shell/fileChanges.ts';
import { commitReportPattern } from '../calls/callEnd.ts';
import { type AnalysisCache, getFileAccess } from '../message/analyses.ts';
import type { CallOutcome } from '../message/callOutcome.ts';
import { abbreviatedHashLength } from '../message/programReports.ts';
import type { Source } from '../message/source.ts';
import { findShellCommand, splitPipelines } from '../shell/commands.ts';
import { countReplacedCommits } from '../shell/gitCommands.ts';
import { isTyped } from '../user/userStatements.ts';
import type { CallAnalyses } from './fileCalls.ts';

/** A command that commits, or may run a script that does. */
const commitCommandPattern = /\bcommit|check-?in\b|release(?![sd]\b)|publish(?!e)|deploy|\bship\b|\bjj\b/i;
/** Programs whose arguments only name what they show, such as the address of a page about releases. */
const readerPattern =
	/^(?:\w{1,60}=\S{0,200} ){0,4}(?:cat|curl|echo|grep|head|jq|ls|printf|rg|sed|tail|wc|wget)\s(?!.*(?:(?:-\w*X|--request)[= ]?P|\s(?:-\w*[dFT]|--(?:data|form|json|post|upload))\b))/;
/** A user's report of a commit: "I committed it". */
const userReportPattern = /\bcommit{1,2}ed\b|\bcommittet\b|コミットし(?:た|まし)|提交了|已提交/i;

/** Whether a command or a sub-agent may have committed, or a user says that something was committed. */
export function mayHaveCommitted(source: Source): boolean {
	return reportsCommit(source) || source.calls.some(({ name }) => /task|agent/i.test(name));
}

/** Whether a command may have committed, or a user says that something was committed. */
export function reportsCommit(source: Source): boolean {
	if (isTyped(source)) return userReportPattern.test(source.text);
	return source.calls.some((call) => {
		const command = findShellCommand(call) ?? call.name;
		if (!commitCommandPattern.test(command)) return false;
		const parts = splitPipelines(command).flatMap(({ commands }) => commands);
		return parts.some((part) => commitCommandPattern.test(part) && !readerPattern.test(part));
	});
}

/** Returns the number of newest commits that a successful call takes back, by a reset or a new commit. */
export function countTakenBack({ call, gitCommands }: CallOutcome, cache: AnalysisCache): number {
	const counts = gitCommands.map(countReplacedCommits);
	const count = counts.find((one) => one > 0 && one < Infinity);
	if (count !== undefined) return count;
	const { changes } = getFileAccess(cache, call);
	return changes.some((one) => one.type === 'reverted' && one.hash === undefined) ? 1 : 0;
}

/** The newest commit in the output of `git log --oneline`. */
const loggedCommitPattern = /^(?:Output: )?([0-9a-f]{7,40}) \S/m;

/** Returns the hash of the commit that a call made, if `git log` in the same call names it. */
export function findLoggedCommit({ command, result }: CallOutcome): string | undefined {
	const isLogged = /\bcommit\b[\s\S]{0,2000}\bgit log\b/.test(command);
	return isLogged ? loggedCommitPattern.exec(result.text)?.[1] : undefined;
}

/** Git's report that it refused a command, or stopped at conflicts. */
const refusalPattern = /^(?:Output: )?(?:error|fatal|hint|CONFLICT|KONFLIKT)\b/m;

/** Reports of git and of hooks that nothing was committed, although the exit code may be that of another command. */
const refusedCommitPattern =
	/^(?:Output: )?(?:error|fatal)\b(?!: \(none\))|\b(?:no changes added to|nothing (?:added )?to) commit\b|\bhook\b[^\n]{0,100}(?:fail|exited|declined)|^husky - [^\n]{0,100}(?:fail|exited)|\.{3,80}Failed$/im;

/** Returns the changes that a call made by its result: with the hash of its commit, and without reverts that git refused. */
export function readGitChanges(
	changes: readonly ShellFileChange[],
	outcome: CallOutcome | undefined,
): readonly ShellFileChange[] {
	if (outcome === undefined || !changes.some(({ type }) => /^(?:committed|reverted|stashed)$/.test(type)))
		return changes;
	const { text } = outcome.result;
	const hash = commitReportPattern.exec(text)?.[2] ?? findLoggedCommit(outcome);
	const isRefused = hash === undefined && refusedCommitPattern.test(text);
	return changes
		.filter(({ type }) => type !== 'reverted' || !refusalPattern.test(text))
		.filter(({ type }) => type !== 'committed' || !isRefused)
		.filter(({ type }) => type !== 'stashed' || !text.includes('No local changes to save'))
		.map((change) => (change.type === 'committed' ? { ...change, hash } : change));
}

/** Returns the hashes with which a successful call names the commits that it reverted. */
export function listRevertedHashes(outcome: CallOutcome, cache: AnalysisCache): string[] {
	if (outcome.failed || !outcome.command.includes('revert')) return [];
	return readGitChanges(getFileAccess(cache, outcome.call).changes, outcome).flatMap((change) =>
		change.type === 'reverted' ? (change.hash ?? []) : [],
	);
}

/** Returns the abbreviated hashes of the reverted commits, with the messages that reverted them. */
export function listReverts({
	outcomes,
	cache,
}: Pick<CallAnalyses, 'outcomes' | 'cache'>): { hash: string; caller: Source }[] {
	return [...outcomes.byCall.values()].flatMap((outcome) =>
		listRevertedHashes(outcome, cache).map((hash) => ({
			hash: hash.slice(0, abbreviatedHashLength),
			caller: outcome.caller,
		})),
	);
}

/** A command in another folder, or that creates a repository in one. */
const otherFolderPattern = /\b(?:cd|pushd|mktemp)\b|\bgit init(?: -\S{1,40}){0,4} (?!\.(?:\s|$))[^-\s;&|]/;

/** Whether a call works on another repository, which a test or an experiment made: in a temporary folder, or a new one. */
export function isTrial({ command, folder, result }: CallOutcome): boolean {
	if (isTemporary(folder ?? '')) return true;
	const isNew = /\bgit init\b/.test(command) || result.text.includes('(root-commit)');
	return isNew && (folder !== undefined || otherFolderPattern.test(command));
}
