/** Collects the state of the work at the end of a session. */

import type { ToolCall } from '../../../protocol/conversation.ts';
import { hasOtherAgents } from '../../analysis/calls/delegation.ts';
import { listOpenCalls, listRunningCommands } from '../../analysis/calls/outcomes.ts';
import { isPlanCall, readCurrentPlan } from '../../analysis/calls/plans.ts';
import { isTrial, mayHaveCommitted, reportsCommit } from '../../analysis/changes/commitReports.ts';
import type { Commit } from '../../analysis/changes/commits.ts';
import {
	type CallAnalyses,
	changesFiles,
	type TouchedFile,
	type TouchedFiles,
} from '../../analysis/changes/fileCalls.ts';
import { selectLasting } from '../../analysis/changes/filesTouched.ts';
import { findLaterEvents, type LaterEvents, mayChangeFiles } from '../../analysis/changes/laterEvents.ts';
import { findRepositoryState, type RepositoryState } from '../../analysis/changes/repository.ts';
import {
	listsFile,
	omitListedStash,
	omitShownFiles,
	readEarlierFiles,
	readUncommittedFiles,
	selectUncommitted,
	type UncommittedFiles,
} from '../../analysis/changes/uncommittedFiles.ts';
import { findRecapStep } from '../../analysis/claims/recaps.ts';
import { type FindWithdrawal, renderWithdrawal } from '../../analysis/claims/withdrawnRules.ts';
import { getFirstFileTouch } from '../../analysis/message/analyses.ts';
import type { CallOutcome, Outcomes } from '../../analysis/message/callOutcome.ts';
import type { Source } from '../../analysis/message/source.ts';
import { isReadOnly } from '../../analysis/shell/commands.ts';
import { toPlainApostrophes } from '../../analysis/text/language.ts';
import { isForbidding, isStrictRule } from '../../analysis/text/ruleWords.ts';
import { findRecapGoal } from '../../analysis/user/recapGoal.ts';
import { listRequestedFiles } from '../../analysis/user/requestedFiles.ts';
import { findGoal, type UserRequest, type UserRequests } from '../../analysis/user/requests.ts';
import { collectRules } from '../../analysis/user/rules.ts';
import { isTyped, listTakenBackSources, type UserStatement } from '../../analysis/user/userStatements.ts';
import { isEnvironmentFile, mayBeSamePath } from '../../files/paths.ts';
import type { SlicedTask } from '../../slices.ts';

/** The state of the work after the newest message. */
export interface WorkState {
	/**
	 * The request that started the work, unless the user took it back or replaced it: then the next one. If a summary of the
	 * agent replaced the first messages, the goal that it states.
	 */
	goal?: UserRequest;
	/** Whether an earlier request stays visible in place of the goal. */
	isGoalHidden: boolean;
	/** The newest request that the user did not take back or replace, unless it is the first. */
	newestRequest?: UserRequest;
	/** The request to which the newest one only adds, while the agent works on it; absent if there is none. */
	ongoingRequest?: UserRequest;
	/** The text of the newest request, or of the goal if there is no other. */
	requestText: string;
	/**
	 * Files changed since the last commit or clean status, or since the start, without those that a later whole status does
	 * not list; newest last. Temporary files only if no others changed.
	 */
	changedPaths: string[];
	/** A note on commits of the changed files, after the word "changed"; empty if nothing is known. */
	commitNote: string;
	repository: RepositoryState;
	/** The newest commits of the request that led to the repository's newest commit, before that one; oldest first. */
	earlierCommits: Commit[];
	/** Changed files that a later whole status does not list: they may be committed, ignored or in another repository. */
	unlisted?: { paths: string[]; status: Source };
	/** The uncommitted files that `changedPaths` does not name: of others, or changed again after their commit. */
	uncommitted?: UncommittedFiles;
	/** Such files of an earlier whole status, if the newest status is limited to other paths. */
	earlierUncommitted?: UncommittedFiles;
	lastCheck?: CallOutcome;
	/** Whether the session ran no check at all, and nothing after the last change that may have been one. */
	isUnchecked: boolean;
	/** Whether files were read, and no call seems to have changed any. */
	isUnchanged: boolean;
	/** What happened to files after the last check. */
	events: LaterEvents;
	/** The newest calls that started or deployed services, and what happened to files after each. */
	lastStarts: { outcome: CallOutcome; events: LaterEvents }[];
	/** Changed files that `git stash` put aside, as in `TouchedFiles`. */
	stash: TouchedFiles['stash'];
	/** Files that the current request asks to write and that no call has written. */
	unwrittenPaths: string[];
	/** Calls of the newest message without a result. */
	openCalls: ToolCall[];
	/** The newest commands, except checks, that run on after their calls as far as is known. */
	runningCommands: CallOutcome[];
	/** The next step that the agent announced and has not begun. */
	nextStep?: string;
	/** The active item of the plan, which may be done by now, if no step was announced. */
	plannedStep?: string;
	/** Changes that the user forbade, word for word. */
	forbiddenChanges: string[];
}

/** Maximum number of commands that are named which started services. */
const maxStarts = 2;
/** Maximum number of messages between such commands. */
const maxStartGap = 6;
/** Maximum number of commits that are named besides the newest one. */
const maxEarlierCommits = 3;

/** Results of the analyses of a session's messages. */
export interface SessionAnalyses extends CallAnalyses {
	/** All statements of the user. */
	statements: readonly UserStatement[];
	/** Statements of the user that a later statement replaced, each with the later statement. */
	replaced: ReadonlyMap<Source, Source>;
	findWithdrawal: FindWithdrawal;
	requests: UserRequests;
	/** All messages of the session. */
	all: readonly Source[];
	/** The files that all messages touched. */
	filesAtEnd: TouchedFiles;
	/** The runs of each of the last checks, oldest first. */
	checks: readonly (readonly CallOutcome[])[];
	/** The commits of the session by the request before them. */
	commits: ReadonlyMap<Source, readonly Commit[]>;
}

/** Returns the state after all messages of a session. Runs in slices. */
export function* collectWorkState(analyses: SessionAnalyses): SlicedTask<WorkState> {
	const { all, outcomes, checks, filesAtEnd: files, requests } = analyses;
	const { lastCommitSeq } = files;
	const changedFiles = selectLasting(files.changed);
	yield;
	const lastCheck = checks.findLast((runs) => !runs.at(-1)?.isStashed)?.at(-1);
	const goal = findRecapGoal(all) ?? findGoal(requests.all);
	const newestRequest = requests.all.at(-1);
	const requestText = (newestRequest ?? goal)?.text ?? '';
	const commits = [...analyses.commits.values()].flat().filter(({ report }) => {
		const outcome = outcomes.byResult.get(report);
		return report.seq > lastCommitSeq && !(outcome && isTrial(outcome));
	});
	const repository = findRepositoryState(all, analyses, commits);
	yield;
	// The user may have committed, or git may ignore the files. Then only later changes need a commit, if there are any.
	const cleanSeq = Math.max(lastCommitSeq, repository.cleanStatus?.seq ?? -1);
	const committedSeq = changedFiles.some(({ seq }) => seq > cleanSeq) ? cleanSeq : lastCommitSeq;
	const { currentStatus, interruption } = repository;
	const listing = currentStatus && !interruption ? readUncommittedFiles(currentStatus) : undefined;
	const isLeftOut = (path: string): boolean => cleanSeq === lastCommitSeq && files.uncommittedPaths.has(path);
	const isIgnored = (path: string): boolean => committedSeq >= 0 && isEnvironmentFile(path);
	const changedSince = changedFiles.filter(
		({ path, seq }) => (seq > committedSeq || isLeftOut(path)) && !isIgnored(path),
	);
	const listedFiles = listing && repository.isStatusWhole ? selectUncommitted(changedSince, listing) : [];
	const unlisted = new Set(
		listing && listing.changed.length + listing.untracked.length > 0
			? listedFiles.filter(({ path, seq }) => seq < listing.report.seq && !listsFile(listing, path))
			: [],
	);
	const uncommittedFiles = (listedFiles.length > 0 ? listedFiles : changedSince).filter(
		(file) => !unlisted.has(file),
	);
	const changedPaths = uncommittedFiles.map(({ path }) => path);
	const omitShown = (from: UncommittedFiles): UncommittedFiles | undefined => {
		const isShown = (file: TouchedFile): boolean =>
			uncommittedFiles.includes(file) || file.seq > from.report.seq;
		return omitShownFiles(from, [...files.changed.filter(isShown), ...files.removed]);
	};
	return {
		goal,
		isGoalHidden: goal !== undefined && goal.source !== all.find(isTyped),
		newestRequest: newestRequest === goal ? undefined : newestRequest,
		ongoingRequest: requests.ongoing,
		requestText,
		changedPaths,
		commitNote:
			committedSeq < 0 ? describeCommits(all, uncommittedFiles, repository) : ' since the last commit',
		repository,
		earlierCommits: listEarlierCommits(repository.commit, analyses),
		unlisted:
			listing && unlisted.size > 0
				? { paths: [...unlisted].map(({ path }) => path), status: listing.report }
				: undefined,
		uncommitted: listing && omitShown(listing),
		earlierUncommitted:
			listing && repository.earlierStatus && omitShown(readEarlierFiles(repository.earlierStatus)),
		lastCheck,
		isUnchecked: lastCheck === undefined && !hasRunAfter(changedFiles, analyses),
		isUnchanged:
			files.read.length > 0 &&
			!analyses.fileCalls.some(changesFiles) &&
			!all.some((source) => source.calls.some(mayChangeFiles) || mayHaveCommitted(source)),
		events: lastCheck ? findLaterEvents(lastCheck, all, analyses) : '',
		lastStarts: findLastStarts(outcomes).map((outcome) => ({
			outcome,
			events: findLaterEvents(outcome, all, analyses),
		})),
		stash: files.stash && omitListedStash(files.stash, currentStatus),
		unwrittenPaths: listRequestedFiles(requestText).filter(
			(path) => !hasOtherAgents(all) && !files.changed.some((file) => mayBeSamePath(file.path, path)),
		),
		openCalls: listOpenCalls(all, outcomes),
		runningCommands: listRunningCommands(all, outcomes),
		...findNextStep(all),
		forbiddenChanges: collectForbiddenChanges(analyses),
	};
}

/** Returns the newest calls that started or deployed services, one for each command, shortly after one another. */
function findLastStarts({ byCall }: Outcomes): CallOutcome[] {
	const starts = new Map<string, CallOutcome>();
	for (const outcome of byCall.values()) {
		if (outcome.serviceStart === undefined) continue;
		starts.delete(outcome.serviceStart);
		starts.set(outcome.serviceStart, outcome);
	}
	const newest = [...starts.values()].slice(-maxStarts);
	const lastSeq = newest.at(-1)?.result.seq ?? 0;
	return newest.filter(({ result }) => lastSeq - result.seq <= maxStartGap);
}

/** Returns the commits before the newest one that belong to its request, its branch and its folder, without those of trials. */
function listEarlierCommits(newest: Commit | undefined, { commits, outcomes }: SessionAnalyses): Commit[] {
	const made = [...commits.values()].find((all) => all.at(-1) === newest) ?? [];
	const folderOf = ({ report }: Commit): string | undefined => outcomes.byResult.get(report)?.folder;
	return made
		.slice(0, -1)
		.filter((one) => {
			const outcome = outcomes.byResult.get(one.report);
			const isTrialCommit = outcome !== undefined && isTrial(outcome);
			return newest && one.branch === newest.branch && folderOf(one) === folderOf(newest) && !isTrialCommit;
		})
		.slice(-maxEarlierCommits);
}

/** Whether a call after the last change of these files did more than read, edit or plan: it may have been a check. */
function hasRunAfter(files: readonly TouchedFile[], { all, cache }: SessionAnalyses): boolean {
	const lastChangeSeq = Math.max(...files.map(({ seq }) => seq));
	const mayCheck = (call: ToolCall): boolean =>
		!isReadOnly(call) && !isPlanCall(call) && getFirstFileTouch(cache, call)?.kind !== 'edit';
	return all.some(({ seq, calls }) => seq >= lastChangeSeq && calls.some(mayCheck));
}

/**
 * Returns a note if git listed all changed files as uncommitted after the last change and nothing may have committed them
 * since, or if no call made a commit and no user reported one; else empty.
 */
function describeCommits(
	all: readonly Source[],
	files: readonly TouchedFile[],
	{ status, currentStatus }: RepositoryState,
): string {
	if (files.length === 0) return '';
	const listing = status && readUncommittedFiles(status);
	const isListed = ({ path, seq }: TouchedFile): boolean =>
		listing !== undefined &&
		seq < listing.report.seq &&
		(listing.report.text.includes(path.split(/[\\/]/).at(-1) ?? path) || listsFile(listing, path));
	const isSettled = all.some((source) => source.seq > (currentStatus?.seq ?? 0) && mayHaveCommitted(source));
	if (currentStatus && files.every(isListed) && !isSettled) return ', not committed';
	const isClean = status !== undefined && files.every((file) => file.seq < status.seq && !isListed(file));
	return isClean || all.some(reportsCommit) ? '' : ', no commit seen';
}

/** Length at a message's end that is searched for the announcement of a next step. UTF-16 units. */
const maxAnnouncementLength = 1000;
/** Number of newest messages that are searched for a change of the plan. */
const maxPlanAge = 20;
const nextStepPattern =
	/^[^\p{L}\p{N}]*(?:(?:ok(?:ay)?|now|so|then|and)\b[,:]?\s+)*(?:next\b(?!\.\w| time\b)|after that\b|i(?:'ll| will|'m going to| am going to)\b(?! (?:not|never|no longer)\b)|let me\b(?! know\b)|remaining\b(?! (?:risks?|concerns?|issues?|questions?)\b)|what(?:'s| is) left\b|als nächstes\b|danach\b|ich werde\b)|^(?:次に|続いて|接下来|下一步)/iu;

/**
 * Returns the next step: announced by the agent's last message if it has no calls, the plan's active item, or the next step
 * in the agent's own summary shortly before, unless it has ended a turn since.
 */
function findNextStep(sources: readonly Source[]): Pick<WorkState, 'nextStep' | 'plannedStep'> {
	const last = sources.at(-1);
	const text =
		last?.role === 'assistant' && last.calls.length === 0 ? last.text.slice(last.thoughtLength ?? 0) : '';
	const sentences = text.slice(-maxAnnouncementLength).split(/(?<=[.!?。！？])\s+|\n/);
	const sentence = sentences.findLast((one) => nextStepPattern.test(toPlainApostrophes(one)));
	// A plan that was not updated since the newest request, or for long, is outdated.
	const turn = sources.slice(sources.findLastIndex(isTyped) + 1);
	const { todos, changedIn } = readCurrentPlan(turn);
	const isAtWork = last?.role !== 'assistant' || last.calls.length > 0;
	const isCurrent = isAtWork && changedIn !== undefined && turn.slice(-maxPlanAge).includes(changedIn);
	const planned = isCurrent ? todos.find(({ state }) => state === 'active')?.text : undefined;
	return sentence === undefined && planned !== undefined
		? { plannedStep: planned }
		: { nextStep: sentence ?? findRecapStep(sources) };
}

function collectForbiddenChanges({
	all,
	cache,
	statements,
	replaced,
	findWithdrawal,
	requests,
}: SessionAnalyses): string[] {
	const takenBack = listTakenBackSources(statements);
	return collectRules(all.filter(isTyped), cache)
		.filter((rule) => !takenBack.has(rule.source) && !replaced.has(rule.source) && !requests.isPastRule(rule))
		.filter(({ text }) => isStrictRule(text) && isForbidding(text))
		.flatMap((rule) => {
			const withdrawal = findWithdrawal(rule);
			return withdrawal?.isWhole ? [] : `${rule.text}${renderWithdrawal(withdrawal)}`;
		});
}
