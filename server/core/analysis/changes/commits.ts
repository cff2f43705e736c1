/** Finds the commits that belong to the user's requests. */

import { isSameCommit } from '../../files/gitState.ts';
import { commitReportPattern } from '../calls/callEnd.ts';
import type { CallOutcome } from '../message/callOutcome.ts';
import { findReportedCommit } from '../message/programReports.ts';
import type { Source } from '../message/source.ts';
import { findShellCommand } from '../shell/commands.ts';
import { listGitCommands } from '../shell/gitCommands.ts';
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
/** A question about the work, which asks for no commit. */
const inquiryPattern =
	/^\s{0,9}(?:(?:ok(?:ay)?|hm+|wait|so)[,.]? )?(?:why|what|how come|when|where|who|which|is|are|was|were|does|did|do you know|warum|wieso|weshalb|was|wann|wo)\b[^.!\n]{0,200}\?\s*$/i;

/** A commit to which a reset goes back, other than `HEAD~2`, which counts the commits. */
const resetTargetPattern = /^(?!(?:HEAD|@)(?:[~^@{]|$))[\w./@{}-]{2,200}$/;
const resetModePattern = /^--(?:soft|hard|mixed|keep|merge)$/;

/**
 * Whether a command replaced or removed commits that it does not name: a rebase, even if its script fails later, or a reset
 * to a commit or branch.
 */
function replacesCommits({ call, result, failed }: CallOutcome): boolean {
	if (rebaseEndPattern.test(result.text)) return true;
	const script = findShellCommand(call) ?? '';
	if (failed || !/\bgit\b.{0,200}\b(?:rebase|reset)\b/.test(script)) return false;
	return listGitCommands(script).some(({ verb, words }) => {
		if (verb === 'rebase') return !words.some((word) => /^--(?:abort|quit)$/.test(word));
		const [target, ...others] = words.filter((word) => !word.startsWith('-'));
		const isMoved =
			target !== undefined && others.length === 0 && words.some((word) => resetModePattern.test(word));
		return verb === 'reset' && isMoved && resetTargetPattern.test(target);
	});
}

/** Whether a script amends the newest commit. */
function isAmend(command: string): boolean {
	return listGitCommands(command).some(({ verb, words }) => verb === 'commit' && words.includes('--amend'));
}

/** Returns the commits that a successful command reports, oldest first. */
function readCommits(outcome: CallOutcome, command: string): Commit[] {
	const { result: report } = outcome;
	const text = /\bcommit\b/.test(command) ? report.text.slice(0, maxReportLength) : outcome.message;
	const commits = text.split('\n').flatMap((line): Commit[] => {
		const [, branch, hash] = commitReportPattern.exec(line) ?? [];
		return hash === undefined ? [] : [{ hash, branch, report }];
	});
	if (commits.length > 0) return commits;
	const hash = findLoggedCommit(outcome);
	return hash === undefined ? [] : [{ hash, branch: undefined, report }];
}

/** Length of an output that is searched for reports of commits. UTF-16 units. */
const maxReportLength = 20_000;

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
		if (isTyped(source) && !(newestRequest && inquiryPattern.test(source.text))) newestRequest = source;
		else if (newestRequest && work?.role === 'assistant' && !undone.has(work)) {
			const hash = findReportedCommit(source);
			if (hash !== undefined) commits.push({ request: newestRequest, commit: { hash, report: source } });
		}
		const outcome = source.role === 'tool' ? outcomes.byResult.get(source) : undefined;
		if (outcome && replacesCommits(outcome)) commits.length = 0;
		if (!newestRequest || !outcome || outcome.failed || undone.has(outcome.caller)) continue;
		if (commits.length > 0) commits.splice(Math.max(0, commits.length - countTakenBack(outcome.call, cache)));
		for (const hash of listRevertedHashes(outcome, cache)) removeCommit(commits, hash);
		const command = findShellCommand(outcome.call) ?? '';
		if (/\bgit revert\b/.test(command)) continue;
		for (const commit of readCommits(outcome, command)) {
			const previous = commits.at(-1);
			// An amended commit also contains the work of its first version.
			if (previous && isAmend(command)) previous.commit = commit;
			const isKnown = previous?.commit === commit && previous.request === newestRequest;
			if (!isKnown) commits.push({ request: newestRequest, commit });
		}
	}
	const byRequest = new Map<Source, Commit[]>();
	for (const { request, commit } of commits)
		byRequest.set(request, [...(byRequest.get(request) ?? []), commit]);
	return byRequest;
}
