/** Finds the commits that belong to the user's requests. */

import { commitReportPattern } from '../../analysis/callEnd.ts';
import { findShellCommand } from '../../analysis/commands.ts';
import { countTakenBack } from '../../analysis/commitReports.ts';
import type { CallAnalyses } from '../../analysis/filesTouched.ts';
import { findReportedCommit } from '../../analysis/programReports.ts';
import type { Source } from '../../analysis/source.ts';
import { isTyped } from '../../analysis/userStatements.ts';

/** A commit: its abbreviated hash, its branch, if it is known, and the message that reports it. */
export interface Commit {
	hash: string;
	branch?: string;
	report: Source;
}

/** A command that replaces the newest commit by another. */
const amendPattern = /\bcommit(?:\s+-[-\w=]{1,40}){0,8}\s+--amend\b/;

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
		if (!newestRequest || !outcome || outcome.failed || undone.has(outcome.caller)) continue;
		if (commits.length > 0) commits.splice(Math.max(0, commits.length - countTakenBack(outcome.call, cache)));
		const [, branch, hash] = commitReportPattern.exec(outcome.message) ?? [];
		if (hash === undefined) continue;
		const commit = { hash, branch, report: source };
		const previous = commits.at(-1);
		// An amended commit also contains the work of its first version.
		if (previous && amendPattern.test(findShellCommand(outcome.call) ?? '')) previous.commit = commit;
		const isKnown = previous?.commit === commit && previous.request === newestRequest;
		if (!isKnown) commits.push({ request: newestRequest, commit });
	}
	const byRequest = new Map<Source, Commit[]>();
	for (const { request, commit } of commits)
		byRequest.set(request, [...(byRequest.get(request) ?? []), commit]);
	return byRequest;
}
