/** Writes the first lines of a summary: the goal of the work, its state, and its next step. */

import { renderCall, renderRunningCommand } from '../../analysis/calls/calls.ts';
import { type Branch, isOnOtherBranch } from '../../analysis/changes/branch.ts';
import type { Commit } from '../../analysis/changes/commits.ts';
import type { UncommittedFiles } from '../../analysis/changes/uncommittedFiles.ts';
import { getMessageName } from '../../analysis/message/source.ts';
import { quoteLine, truncateWithMark } from '../../analysis/text/quote.ts';
import { excerptRequest } from '../../analysis/user/requestExcerpt.ts';
import type { UserRequest } from '../../analysis/user/requests.ts';
import { renderRun } from './checks.ts';
import type { SummaryBudget } from './summaryBudget.ts';
import type { WorkState } from './workState.ts';

/** Share of a summary's budget that its head may take. */
const maxHeadShare = 0.08;
/** Minimum budget of a summary with a whole head. Smaller ones only name a hidden goal and the repository's state. Tokens of English prose. */
const minHeadTokens = 1000;
/** Maximum share of a small summary's budget for the goal, and for the repository's state. */
const maxSmallLineShare = 0.25;
/** Minimum budget for repeating the first and the newest request, which are visible next to the summary. */
const minTokensForRequests = 1500;
/** Maximum length of all forbidden changes together. UTF-16 units. */
const maxForbiddenLength = 240;
/** Numbers of newest changed files that the head may name; it uses the first number that fits. */
const fileCounts = [5, 2, 0] as const;
/** Maximum number of calls without a result that the head names, and maximum length of each. UTF-16 units. */
const [maxOpenCalls, maxCallLength] = [2, 100];
/**
 * Indexes of the lines in the order of their importance. Content that the view shows nowhere else is first, such as what a
 * short answer means.
 */
const lineImportance = {
	goalVisible: [2, 3, 4, 1, 0],
	goalHidden: [0, 2, 3, 4, 1],
	answer: [1, 2, 3, 4, 0],
};

/** Whether a summary's budget is large enough for a whole head, and for what else only repeats the messages in brief. */
export function hasWholeHead({ totalTokens, costFactor }: SummaryBudget): boolean {
	return totalTokens >= minHeadTokens * costFactor;
}

/** Returns the head of a summary: at most five lines, within the budget. Omits lines about unknown facts. */
export function writeSummaryHead(budget: SummaryBudget, state: WorkState): string[] {
	const { goal, isGoalHidden, newestRequest, ongoingRequest, nextStep, plannedStep, forbiddenChanges } =
		state;
	if (!hasWholeHead(budget)) return writeSmallHead(budget, state);
	const hasRequests = budget.totalTokens >= minTokensForRequests * budget.costFactor;
	let allowed = maxHeadShare * budget.totalTokens;
	const doesFit = (line: string): boolean => budget.count(line) + 1 <= Math.min(allowed, budget.tokensLeft);
	const hasCurrentRequest = hasRequests || newestRequest?.note !== undefined;
	const ongoing = ongoingRequest === goal ? undefined : ongoingRequest;
	/** The variants of each line, the most telling first; none of a line about unknown facts. */
	const lines = [
		[hasRequests || isGoalHidden ? renderGoal(state) : ''],
		hasCurrentRequest && newestRequest ? [renderCurrentRequest(newestRequest, ongoing)] : [],
		[
			...fileCounts.map((files) => renderStateLine(state, files)),
			renderStateLine({ ...state, repository: {} }, 0),
		],
		nextStep
			? [`Next: ${quoteLine(nextStep)}`]
			: plannedStep
				? [`In progress in the plan: ${quoteLine(plannedStep)}`]
				: [],
		[renderForbiddenLine(forbiddenChanges)],
	];
	const { answer, goalHidden, goalVisible } = lineImportance;
	const taken = new Map<number, string>();
	for (const index of isGoalHidden ? goalHidden : newestRequest?.note ? answer : goalVisible) {
		const line = lines[index]?.find((one) => one !== '' && doesFit(one));
		if (line === undefined) continue;
		const tokens = budget.count(line) + 1;
		allowed -= tokens;
		budget.tokensLeft -= tokens;
		taken.set(index, line);
	}
	return [...taken].sort(([a], [b]) => a - b).map(([, line]) => line);
}

/** Returns the line about the goal; empty if it is unknown. */
function renderGoal({ goal, newestRequest, ongoingRequest }: WorkState): string {
	if (goal === undefined) return '';
	// The first of several requests may be done long ago.
	const isFirstOfSeveral = newestRequest !== undefined && !goal.source.isRecap && ongoingRequest !== goal;
	return `Goal${isFirstOfSeveral ? ' at the start' : ''} (${getMessageName(goal.source)}): ${renderRequest(goal)}`;
}

/** Returns the line about the newest request; with `ongoing`, about the request to which it adds, and then about itself. */
function renderCurrentRequest(newest: UserRequest, ongoing: UserRequest | undefined): string {
	const number = getMessageName(newest.source);
	if (ongoing === undefined) return `Current request (${number}): ${renderRequest(newest)}`;
	return `Current request (${getMessageName(ongoing.source)}): ${renderRequest(ongoing)}; then (${number}): ${renderRequest(newest)}`;
}

function renderRequest({ text, note, undoneIn }: UserRequest): string {
	return `${excerptRequest(text)}${note ? ` (${note})` : ''}${undoneIn ? ` (work undone in ${getMessageName(undoneIn)})` : ''}`;
}

/** Returns the head of a small summary: the goal if no other message shows it, and the repository's state without files. */
function writeSmallHead(budget: SummaryBudget, state: WorkState): string[] {
	const outcomes = renderRepository(state, 0);
	const lines = [
		state.isGoalHidden ? renderGoal(state) : '',
		outcomes.length === 0 ? '' : `State: ${outcomes.join('; ')}`,
	];
	return lines.filter((line) => {
		const tokens = budget.count(line) + 1;
		if (line === '' || tokens > Math.min(budget.tokensLeft, maxSmallLineShare * budget.totalTokens))
			return false;
		budget.tokensLeft -= tokens;
		return true;
	});
}

function renderStateLine(state: WorkState, maxFiles: number): string {
	const {
		changedPaths,
		commitNote,
		lastCheck,
		isUnchecked,
		isUnchanged,
		unwrittenPaths,
		unlisted,
		stash,
		events,
		lastStarts,
	} = state;
	const { branch } = state.repository;
	const wasElsewhere = branch && lastCheck && isOnOtherBranch(branch, lastCheck.result);
	const parts = [
		isUnchanged && 'no file change seen',
		changedPaths.length > 0 && maxFiles > 0 && `changed${commitNote}: ${renderPaths(changedPaths, maxFiles)}`,
		unlisted &&
			maxFiles > 0 &&
			`changed, but not listed by git status (${getMessageName(unlisted.status)}): ${renderPaths(unlisted.paths, Math.min(maxFiles, 2))}`,
		stash && maxFiles > 0 && `put aside by git stash (#${stash.seq}): ${renderPaths(stash.paths, maxFiles)}`,
		unwrittenPaths.length > 0 && maxFiles > 0 && `not written yet: ${renderPaths(unwrittenPaths, maxFiles)}`,
		...renderRepository(state, maxFiles),
		lastCheck
			? `last check: ${renderRun(lastCheck)}${wasElsewhere ? ', on another branch' : events && `, before later ${events}`}`
			: changedPaths.length > 0 && isUnchecked && 'no check seen',
		lastStarts.length > 0 && `last started: ${lastStarts.map(renderStart).join(', ')}`,
		joinCalls('no result yet', listOpenCalls(state)),
		joinCalls('not seen to end', state.runningCommands.map(renderRunningCommand)),
	].filter(Boolean);
	return parts.length === 0 ? '' : `State: ${parts.join('; ')}`;
}

function renderStart({ outcome, events }: WorkState['lastStarts'][number]): string {
	const start = quoteLine(truncateWithMark(outcome.serviceStart ?? '', maxCallLength));
	return `${start} (${getMessageName(outcome.result)}${events && `, before later ${events}`})`;
}

/** Returns the calls without a result, which the newest messages show in full. */
function listOpenCalls({ openCalls }: WorkState): string[] {
	const named = openCalls
		.slice(0, maxOpenCalls)
		.map((call) => quoteLine(truncateWithMark(renderCall(call), maxCallLength)));
	const others = openCalls.length - named.length;
	return others > 0 ? [...named, `${others} more`] : named;
}

const joinCalls = (note: string, calls: readonly string[]): string =>
	calls.length === 0 ? '' : `${note}: ${calls.join('; ')}`;

/** Returns the last paths that may be named, shortened, and the number of others. */
function renderPaths(paths: readonly string[], maxFiles: number): string {
	// A note on one more file would be as long as its name.
	const named = paths.slice(paths.length === maxFiles + 1 ? 0 : -maxFiles);
	const names = named.map((path) => quoteLine(shortenFilePath(path, named)));
	return `${names.join(', ')}${paths.length > names.length ? ` and ${paths.length - names.length} more` : ''}`;
}

/** Returns the last two parts of a path, or more if another path ends with these; a path of two parts stays whole. */
export function shortenFilePath(path: string, paths: readonly string[]): string {
	if (/^\/?[^/]+\/[^/]+\/?$/.test(path)) return path;
	const parts = path.split(/\/(?=.)/);
	let count = 2;
	const countSame = (name: string): number => paths.filter((one) => `/${one}`.endsWith(`/${name}`)).length;
	while (count < parts.length && countSame(parts.slice(-count).join('/')) > 1) count++;
	return parts.slice(-count).join('/');
}

/** Returns what was committed, pushed and proposed, and what is interrupted. */
function renderRepository(state: WorkState, maxFiles: number): string[] {
	const { repository, earlierCommits, uncommitted, earlierUncommitted, changedPaths, unlisted } = state;
	const { branch, commit, push, pullRequests, interruption } = repository;
	const earlier = earlierCommits.map(({ hash, report }) => `${hash} (${getMessageName(report)})`);
	const after = earlier.length > 0 ? ` after ${earlier.join(', ')}` : '';
	const parts = [
		commit &&
			`commit ${commit.hash}${renderBranchOf(commit, branch)} (${getMessageName(commit.report)})${after}`,
		push && `pushed (${getMessageName(push)})`,
		pullRequests &&
			`opened ${pullRequests.urls.map(quoteLine).join(' and ')} (${getMessageName(pullRequests.report)})`,
	].filter((part) => part !== undefined);
	const outcomes = parts.length === 0 ? [] : [parts.join(', ')];
	if (branch && branch.report !== commit?.report) outcomes.push(renderBranch(branch));
	let hasOthers = changedPaths.length + parts.length > 0 || unlisted !== undefined;
	for (const files of [earlierUncommitted, uncommitted]) {
		if (files && maxFiles > 0) outcomes.push(renderUncommitted(files, hasOthers, maxFiles));
		hasOthers ||= files !== undefined;
	}
	if (!interruption) return outcomes;
	const { operation, since, unmergedPaths, listing } = interruption;
	const hasNames = unmergedPaths.length > 0 && maxFiles > 0;
	const names = hasNames
		? `, unmerged in ${getMessageName(listing)}: ${renderPaths(unmergedPaths, maxFiles)}`
		: '';
	return [...outcomes, `${operation} stopped by conflicts (${getMessageName(since)}), not finished${names}`];
}

/** Returns the files that git listed as changed or new, and that no call of the session changed. */
function renderUncommitted(
	{ changed, untracked, report }: UncommittedFiles,
	hasOthers: boolean,
	maxFiles: number,
): string {
	const parts = [
		changed.length > 0 && `${hasOthers ? 'also ' : ''}uncommitted: ${renderPaths(changed, maxFiles)}`,
		untracked.length > 0 && `untracked: ${renderPaths(untracked, maxFiles)}`,
	].filter(Boolean);
	return `${parts.join(', ')} (${getMessageName(report)})`;
}

/** Returns the branch of a commit, unless the state names that branch apart from it. */
function renderBranchOf(commit: Commit, current: Branch | undefined): string {
	const isNamedApart = commit.branch === current?.name && commit.report !== current?.report;
	return commit.branch === undefined || isNamedApart ? '' : ` on branch ${quoteLine(commit.branch)}`;
}

function renderBranch({ name, folder, position, report }: Branch): string {
	const place = folder === undefined ? '' : ` in ${quoteLine(folder.split(/[\\/]/).at(-1) ?? '')}`;
	const on = name === '' ? 'on no branch (detached HEAD)' : `on branch ${quoteLine(name)}`;
	return `${on}${place}${position ? `, ${quoteLine(position)}` : ''} (${getMessageName(report)})`;
}

function renderForbiddenLine(forbidden: readonly string[]): string {
	let remainingLength = maxForbiddenLength;
	const shownRules = forbidden.filter((text) => {
		remainingLength -= text.length;
		return remainingLength >= 0;
	});
	return shownRules.length === 0
		? ''
		: `Hands off: ${shownRules.map((text) => quoteLine(text.replace(/^[-*•]\s+/, ''))).join(' ')}`;
}
