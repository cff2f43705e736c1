/** Finds the commits that belong to the user's requests. */

import { isSameCommit } from '../../files/gitState.ts';
import { commitReportPattern } from '../calls/callEnd.ts';
import { findReportedCommit } from '../message/programReports.ts';
import type { Source } from '../message/source.ts';
import { findShellCommand } from '../shell/commands.ts';
import { isTyped } from '../user/userStatements.ts';
import { countTakenBack, findLoggedCommit, listRevertedHashes } from './commitReports.ts';
import type { CallAnalyses } from './fileCalls.ts';

/** A commit: its abbreviated hash, its branch, if it is known, and the message that reports it. */
export interface Commit {
	hash: string;
	branch?: string;
	report: Source;
}

/** Git's report that it applied the branch's commits again, with new hashes. */
export const rebaseEndPattern = /^(?:Output: )?Successfully rebased and updated /m;
/** A command that replaces the newest commit by another. */
const amendPattern = /\bcommit(?:\s+-[-\w=]{1,40}){0,8}\s+--amend\b/;

/** Removes the newest commit that a hash names. */
function removeCommit(commits: { commit: Commit }[], hash: string): void {
	const index = commits.findLastIndex(({ commit }) => isSameCommit(commit.hash, hash));
	if (index >= 0) commits.splice(index, 1);
}

/** Returns the commits by the request before them, without reverted and undone commits. */
export function groupCommitsByRequest(
	sources: readonly Source[],
	{ outcomes, undone, cache }: CallAnalyses,
): Map<Source, Commit[]> {
	const commits: { request: Source; commit: Commit }[] = [];
	let newestRequest: Source | undefined;
	for (const [index, source] of sources.entries()) {
		const work = sources[index - 1];
		if (isTyped(source)) newestRequest = source;
		else if (newestRequest && work?.role === 'assistant' && !undone.has(work)) {
			const hash = findReportedCommit(source);
			if (hash !== undefined) commits.push({ request: newestRequest, commit: { hash, report: source } });
		}
		const outcome = source.role === 'tool' ? outcomes.byResult.get(source) : undefined;
		// A rebase replaces the commits by others, even if its script fails later.
		if (outcome && rebaseEndPattern.test(outcome.result.text)) commits.length = 0;
		if (!newestRequest || !outcome || outcome.failed || undone.has(outcome.caller)) continue;
		if (commits.length > 0) commits.splice(Math.max(0, commits.length - countTakenBack(outcome.call, cache)));
		for (const hash of listRevertedHashes(outcome, cache)) removeCommit(commits, hash);
		const [, branch, hash = findLoggedCommit(outcome)] = commitReportPattern.exec(outcome.message) ?? [];
		if (hash === undefined) continue;
		const command = findShellCommand(outcome.call) ?? '';
		if (/\bgit revert\b/.test(command)) continue;
		const commit = { hash, branch, report: source };
		const previous = commits.at(-1);
		// An amended commit also contains the work of its first version.
		if (previous && amendPattern.test(command)) previous.commit = commit;
		const isKnown = previous?.commit === commit && previous.request === newestRequest;
		if (!isKnown) commits.push({ request: newestRequest, commit });
	}
	const byRequest = new Map<Source, Commit[]>();
	for (const { request, commit } of commits)
		byRequest.set(request, [...(byRequest.get(request) ?? []), commit]);
	return byRequest;
}
