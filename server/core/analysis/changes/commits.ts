/** Finds the commits that belong to the user's requests. */

import { isSameCommit } from '../../files/gitState.ts';
import { commitReportPattern } from '../calls/callEnd.ts';
import type { CallOutcome } from '../message/callOutcome.ts';
import { findReportedCommit } from '../message/programReports.ts';
import type { Source } from '../message/source.ts';
import { readTypedCommand } from '../message/typedCommands.ts';
import { countReplacedCommits, type GitCommand } from '../shell/gitCommands.ts';
import { isTyped } from '../user/userStatements.ts';
import { countTakenBack, findLoggedCommit, listRevertedHashes, reportsCommit } from './commitReports.ts';
import type { CallAnalyses } from './fileCalls.ts';

/** A commit: its abbreviated hash, its branch, if it is known, and the message that reports it. */
export interface Commit {
	hash: string;
	branch?: string;
	report: Source;
}

/** Git's report that it applied the branch's commits again, with new hashes. An escape code may precede it. */
export const rebaseEndPattern = /^(?:Output: )?(?:.?\[K)?Successfully rebased and updated /m;
/** Git's report of a push, with the commit that the branch has since, and the names of the branch here and there. */
const pushedCommitPattern =
	/^[ \t]{0,9}(?:\+ )?[0-9a-f]{7,40}\.{2,3}([0-9a-f]{7,40}) {1,9}(\S{1,200}) {1,99}-> (\S{1,200})/gm;
/** A question about the work, which asks for no commit. */
const inquiryPattern =
	/^\s{0,9}(?:(?:ok(?:ay)?|hm+|wait|so)[,.]? )?(?:why|what|how come|when|where|who|which|is|are|was|were|does|did|do you know|warum|wieso|weshalb|was|wann|wo)\b[^.!\n]{0,200}\?\s*$/i;

/** The line below git's report of a commit. */
const changedFilesPattern = /^ \d{1,9} files? changed,/;

/** Git's report that a pull had no commits to apply again. */
const unchangedPullPattern = /\bup[- ]to[- ]date\b|^Fast-forward$/m;

/** Whether a git command of a call replaced or removed commits that it does not count: a rebase, even if the script failed later. */
export function replacesCommits({ result, failed }: CallOutcome, command: GitCommand): boolean {
	if (rebaseEndPattern.test(result.text)) return true;
	if (failed) return false;
	const isRebasingPull =
		command.verb === 'pull' && command.words.some((word) => /^(?:--rebase|-r)$/.test(word));
	if (isRebasingPull) return !unchangedPullPattern.test(result.text);
	return countReplacedCommits(command) === Infinity;
}

/** Whether a script amends the newest commit. */
function isAmend(commands: readonly GitCommand[]): boolean {
	return commands.some(({ verb, words }) => verb === 'commit' && words.includes('--amend'));
}

/** Whether a script rebased the commits that it made before, or commits of an unknown command. */
function rebasesCommits({ result, gitCommands }: CallOutcome): boolean {
	if (!rebaseEndPattern.test(result.text)) return false;
	const verbs = gitCommands.map(({ verb }) => verb);
	return verbs.lastIndexOf('commit') <= verbs.findLastIndex((verb) => /^(?:pull|rebase)$/.test(verb));
}

/** Returns the commit that a branch has after the last push in an output, if the output names it. */
function readPushedCommit(report: Source): Commit | undefined {
	const pushes = report.text.slice(0, maxReportLength).matchAll(pushedCommitPattern);
	const [, hash, from, branch] = [...pushes].at(-1) ?? [];
	return hash !== undefined && (from === 'HEAD' || from === branch) ? { hash, branch, report } : undefined;
}

/** Returns the branch on which a pull of a script rebases; empty for its own; undefined if the script pulls nothing. */
function findPulledBranch(commands: readonly GitCommand[]): string | undefined {
	const pull = commands.find(({ verb }) => verb === 'pull');
	return pull && (pull.words.filter((word) => !word.startsWith('-'))[1] ?? '');
}

/** Returns the commits that a command reports, oldest first. A script may have failed after its commit. */
function readCommits(outcome: CallOutcome): Commit[] {
	const { result: report, command, failed } = outcome;
	const mayCommit = /\bcommit\b/.test(command);
	if (failed && !mayCommit) return [];
	if (mayCommit && rebasesCommits(outcome)) {
		const pushed = readPushedCommit(report);
		return pushed === undefined ? [] : [pushed];
	}
	// A script that deploys or releases may commit, too.
	const isScript = !mayCommit && reportsCommit(outcome.caller);
	const text = mayCommit || isScript ? report.text.slice(0, maxReportLength) : outcome.message;
	const lines = text.split('\n');
	const commits = lines.flatMap((line, index): Commit[] => {
		const [, branch, hash] = commitReportPattern.exec(line) ?? [];
		const isProven = !isScript || changedFilesPattern.test(lines[index + 1] ?? '');
		return hash === undefined || !isProven ? [] : [{ hash, branch, report }];
	});
	if (commits.length > 0 || failed || !mayCommit) return commits;
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
	let commits: { request: Source; commit: Commit }[] = [];
	const pushed = new Set<Commit>();
	let newestRequest: Source | undefined;
	for (const [index, source] of sources.entries()) {
		const work = sources[index - 1];
		const isRequest =
			isTyped(source) || (source.role === 'user' && readTypedCommand(source.text) !== undefined);
		if (isRequest && !(newestRequest && inquiryPattern.test(source.text))) newestRequest = source;
		else if (newestRequest && work?.role === 'assistant' && !undone.has(work)) {
			const hash = findReportedCommit(source);
			if (hash !== undefined) commits.push({ request: newestRequest, commit: { hash, report: source } });
		}
		const outcome = source.role === 'tool' ? outcomes.byResult.get(source) : undefined;
		if (!outcome) continue;
		const { gitCommands: commands } = outcome;
		const made = readCommits(outcome);
		if (commits.length === 0 && made.length === 0) continue;
		const isAmended = made.length > 0 && isAmend(commands);
		const amended = isAmended ? commits.at(-1) : undefined;
		const isRebased = rebaseEndPattern.test(source.text);
		if (isRebased || commands.some((one) => replacesCommits(outcome, one))) {
			const branch = findPulledBranch(commands);
			// A pull does not rebase what its branch already has.
			const isLasting = ({ commit }: (typeof commits)[number]): boolean =>
				pushed.has(commit) && (branch === '' || branch === commit.branch);
			commits = commits.filter((one) => one === amended || isLasting(one));
		}
		if (!newestRequest || undone.has(outcome.caller)) continue;
		const takenBack = countTakenBack(outcome, cache);
		// Whether the failed script got as far as its reset is not known.
		if (outcome.failed && takenBack > 0) continue;
		if (commits.length > 0) commits.splice(Math.max(0, commits.length - takenBack));
		for (const hash of listRevertedHashes(outcome, cache)) removeCommit(commits, hash);
		if (commands.some(({ verb }) => verb === 'revert')) continue;
		for (const commit of made) {
			const previous = commits.at(-1);
			// An amended commit also contains the work of its first version.
			if (previous && isAmended) previous.commit = commit;
			const isKnown = previous?.commit === commit && previous.request === newestRequest;
			if (!isKnown) commits.push({ request: newestRequest, commit });
		}
		const branch = /push/i.test(outcome.command) ? readPushedCommit(source)?.branch : undefined;
		for (const { commit } of commits)
			if (branch !== undefined && commit.branch === branch) pushed.add(commit);
	}
	const byRequest = new Map<Source, Commit[]>();
	for (const { request, commit } of commits)
		byRequest.set(request, [...(byRequest.get(request) ?? []), commit]);
	return byRequest;
}
