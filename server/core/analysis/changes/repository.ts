/** Finds the state of a repository: what was committed and pushed, and what is interrupted by conflicts. */

import type { CallOutcome } from '../message/callOutcome.ts';
import { findCurrentCommit, findReportedCommit } from '../message/programReports.ts';
import type { Source } from '../message/source.ts';
import { mayBeSameFolder, splitPipelines } from '../shell/commands.ts';
import { countReplacedCommits, type GitCommand } from '../shell/gitCommands.ts';
import { isTyped } from '../user/userStatements.ts';
import { type Branch, readBranch, readOtherStatus } from './branch.ts';
import { type Commit, rebaseEndPattern, replacesCommits } from './commits.ts';
import type { CallAnalyses } from './fileCalls.ts';
import {
	type EarlierStatus,
	longFormPattern,
	settlingVerbPattern,
	wholeStatusPattern,
} from './uncommittedFiles.ts';

/** A rebase, merge or similar that stopped at conflicts and did not end in the session. */
export interface Interruption {
	operation: string;
	since: Source;
	folder?: string;
	/** The unmerged files that `listing` reports, without files that were staged after it. */
	unmergedPaths: string[];
	listing: Source;
}

export interface RepositoryState {
	branch?: Branch;
	/** The newest commit; undefined if a later command may have replaced or removed it. */
	commit?: Commit;
	/** The result of a push after `commit`. */
	push?: Source;
	/** The pull requests that the newest such call opened, without those that are merged or closed. */
	pullRequests?: { urls: string[]; report: Source };
	interruption?: Interruption;
	/** The newest result of `git status`. */
	status?: Source;
	/** The newest result of `git status` by which all changes were committed, perhaps by the user. */
	cleanStatus?: Source;
	/** The newest result of `git status`, unless a later command may have changed which files are uncommitted. */
	currentStatus?: Source;
	/** Whether `currentStatus` lists all uncommitted files. */
	isStatusWhole?: boolean;
	/** The folder of the command of the newest `git status`, if the call names one. */
	statusFolder?: string;
	/** The newest status that lists all uncommitted files, if all after it, which include `currentStatus`, only name paths. */
	earlierStatus?: EarlierStatus;
}

const cleanStatusPattern = /\bworking (?:tree|directory) clean\b/;
const conflictPattern =
	/(?:^|[\r\n])(?:Output: )?(?:(?:CONFLICT|KONFLIKT|CONFLIT|冲突|競合) ?[(（]|(?:error: )?[Cc]ould not apply )/;
const conflictPathPattern =
	/^(?:Output: )?(?:CONFLICT|KONFLIKT) \([^)\n]{1,40}\): (?:Merge conflict in|Merge-Konflikt in) ([^\r\n]{1,300})$/gm;
const unmergedPathPattern =
	/^(?:Output: )?[ \t]*(?:(?:both modified|both added|both deleted|(?:added|deleted) by (?:us|them)):[ \t]{1,20}|(?:UU|AA|DD|AU|UA|DU|UD) )([^\r\n]{1,300})$/gm;
const errorLinePattern = /^(?:Output: )?(?:error|fatal):/m;
/** Git's report in the middle of an interrupted operation. */
const unfinishedPattern = /rebas|merg|cherry-pick|revert|Stopped at|edit the commit/i;
const pushPattern = /^[ +*=-]{0,5}\S.{0,200} -> \S|^(?:Output: )?Everything up-to-date/m;
/** The name of a branch that git pushed, as it is here. */
const pushedBranchPattern =
	/^[ \t]{0,9}(?:[+*] )?(?:\[new branch\]|[0-9a-f]{7,40}\.{2,3}[0-9a-f]{7,40}) {1,9}(\S{1,200}) {1,99}-> \S/gm;
const rejectedPushPattern = /rejected\]|^(?:error|fatal):/m;
const pullRequestPattern = /https?:\/\/[^\s"'<>]{1,200}\/(?:pull|pull-requests|merge_requests)\/\d{1,9}\b/g;
const mergingVerbPattern = /^(?:rebase|merge|cherry-pick|revert|am|pull)$/;
/** Words of users about the end of an interrupted operation. */
const userEndPattern = /rebas|merg|conflict|cherry|resolved|abort|konflikt|冲突|競合/i;

/** Words of users about the end of a pull request. */
const pullRequestEndPattern = /\b(?:merged|closed|gemerged|gemergt|geschlossen)\b|マージし|合并了|已合并/i;

/** Returns the state of the repository at the end of a session. `commits` is in order, oldest first. */
export function findRepositoryState(
	sources: readonly Source[],
	{ outcomes, undone }: CallAnalyses,
	commits: readonly Commit[],
): RepositoryState {
	const state: RepositoryState = {};
	const newest = commits.at(-1);
	let work: Source | undefined;
	for (const source of sources) {
		if (isTyped(source)) readTyped(state, source.text);
		const outcome = source.role === 'tool' ? outcomes.byResult.get(source) : undefined;
		if (outcome && !outcome.wasStopped && !undone.has(outcome.caller)) readOutcome(state, outcome);
		// Until an undo is reported, it is unknown which commits remain.
		if (work && undone.has(work) && findReportedCommit(source)) state.commit = state.push = undefined;
		work = source;
		const hash = isTyped(source) ? undefined : findCurrentCommit(source);
		if (hash !== undefined) Object.assign(state, { commit: { hash, report: source }, push: undefined });
		if (source !== newest?.report) continue;
		Object.assign(state, { commit: newest, push: undefined });
		if (outcome) readPush(state, outcome, outcome.gitCommands);
	}
	return state;
}

/** Follows what a user says about the end of an interrupted operation, or of a pull request that its number names. */
function readTyped(state: RepositoryState, text: string): void {
	if (state.interruption && userEndPattern.test(text)) state.interruption = undefined;
	const { pullRequests } = state;
	if (!pullRequests || !pullRequestEndPattern.test(text)) return;
	const numbers = new Set(text.match(/\d{1,9}/g));
	const urls = pullRequests.urls.filter((url) => !numbers.has(url.split('/').at(-1) ?? ''));
	state.pullRequests = urls.length > 0 ? { ...pullRequests, urls } : undefined;
}

function readOutcome(state: RepositoryState, outcome: CallOutcome): void {
	const { command: script, gitCommands: commands } = outcome;
	readPullRequest(state, outcome);
	for (const command of commands) {
		readInterruption(state, outcome, command);
		const isTakenBack = !outcome.failed && countReplacedCommits(command) > 0;
		if (isTakenBack || replacesCommits(outcome, command)) state.commit = state.push = undefined;
		if (outcome.failed) continue;
		const { verb } = command;
		if (settlingVerbPattern.test(verb)) state.currentStatus = state.earlierStatus = undefined;
		if (verb === 'status') {
			const isWhole = wholeStatusPattern.test(script);
			state.earlierStatus = isWhole ? undefined : findEarlierStatus(state, outcome, command);
			state.status = state.currentStatus = outcome.result;
			state.isStatusWhole = isWhole;
			state.statusFolder = outcome.folder;
			if (cleanStatusPattern.test(outcome.result.text)) state.cleanStatus = outcome.result;
		}
	}
	if (commands.length > 0) state.branch = readBranch(state.branch, outcome, commands);
	if (!outcome.failed && /\b(?:status|gh pr)\b/.test(script))
		state.branch = readOtherStatus(state.branch, outcome);
	readPush(state, outcome, commands);
}

/** Returns the newest whole status before a status of some paths in the same folder; undefined if there is none. */
function findEarlierStatus(
	{ currentStatus, isStatusWhole, statusFolder, earlierStatus }: RepositoryState,
	{ folder, command: script }: CallOutcome,
	{ words }: GitCommand,
): EarlierStatus | undefined {
	const paths = words.filter((word) => !word.startsWith('-'));
	const isWhole = currentStatus !== undefined && isStatusWhole;
	const earlier = isWhole ? { report: currentStatus, laterPaths: [] } : earlierStatus;
	const isSimple = !/[|*]|-uno|-C /.test(script) && paths.length > 0;
	if (earlier === undefined || !isSimple || folder !== statusFolder) return undefined;
	return { ...earlier, laterPaths: [...earlier.laterPaths, ...paths] };
}

function readPush(
	state: RepositoryState,
	{ failed, hasHiddenFailure, result }: CallOutcome,
	commands: readonly GitCommand[],
): void {
	const index = commands.findLastIndex(
		({ verb, words }) =>
			verb === 'push' && !words.some((word) => /^(?:--tags|--delete|-d|--dry-run|-n)$/.test(word)),
	);
	const isPush = index >= 0 && !commands.slice(index + 1).some(({ verb }) => verb === 'commit');
	const { text } = result;
	if (!state.commit || failed || hasHiddenFailure || !isPush || rejectedPushPattern.test(text)) return;
	const names = [...text.matchAll(pushedBranchPattern)].map(([, name]) => name);
	const { branch } = state.commit;
	const isOther = names.length > 0 && branch !== undefined && !names.includes(branch);
	if (pushPattern.test(text) && !(isOther && !names.includes('HEAD'))) state.push = result;
}

function readPullRequest(
	state: RepositoryState,
	{ call, command: script, failed, result }: CallOutcome,
): void {
	// Splitting a script takes longer than a search for the names of the programs.
	if (failed || !(/\b(?:gh|glab) /.test(script) || call.name.endsWith('_request'))) return;
	const commands = splitPipelines(script)
		.flatMap(({ commands: all }) => all)
		.filter((command) => /^(?:\w+=\S* )?(?:gh pr|glab mr) /.test(command));
	const isEnd = commands.some((command) => / (?:merge|close)\b/.test(command));
	if (isEnd || /(?:merge|close)_(?:pull|merge)_request$/.test(call.name)) state.pullRequests = undefined;
	const openingCommands = commands.filter(
		(command) => / create\b/.test(command) && !/ --(?:dry-run|web)\b/.test(command),
	);
	const isOpening = openingCommands.length > 0;
	if (!isOpening && !/create_(?:pull|merge)_request$/.test(call.name)) return;
	const urls = [...new Set(Array.from(result.text.matchAll(pullRequestPattern), ([address]) => address))];
	// A program prints the new address last. A result in JSON may contain other addresses anywhere.
	const opened = isOpening ? urls.slice(-openingCommands.length) : urls.length === 1 ? urls : [];
	if (opened.length > 0) state.pullRequests = { urls: opened, report: result };
}

function readInterruption(
	state: RepositoryState,
	{ failed, folder, result, runningId }: CallOutcome,
	{ verb, words }: GitCommand,
): void {
	const { text } = result;
	const { interruption } = state;
	const isStash = verb === 'stash' && /^(?:pop|apply)$/.test(words[0] ?? '');
	const isMerging = mergingVerbPattern.test(verb) || isStash;
	if (isMerging && conflictPattern.test(text)) {
		const isContinued =
			interruption !== undefined && words.some((word) => /^--(?:continue|skip)$/.test(word));
		state.interruption = {
			operation: isContinued ? interruption.operation : nameOperation(verb, text),
			since: isContinued ? interruption.since : result,
			folder: isContinued ? interruption.folder : folder,
			unmergedPaths: listPaths(text, conflictPathPattern),
			listing: result,
		};
		return;
	}
	if (!interruption || runningId !== undefined || !mayBeSameFolder(folder, interruption.folder)) return;
	// The script may have failed later.
	if (interruption.operation === 'rebase' && rebaseEndPattern.test(text)) state.interruption = undefined;
	else if (verb === 'status') readStatus(state, interruption, result);
	else if (failed || errorLinePattern.test(text)) return;
	else if (verb === 'add' || verb === 'rm')
		interruption.unmergedPaths = words.some((word) => /^(?:\.|-A|-u|--all|--update|:\/)$/.test(word))
			? []
			: interruption.unmergedPaths.filter((path) => !words.some((word) => path.endsWith(word)));
	else if (endsOperation(interruption.operation, verb, words, text)) state.interruption = undefined;
}

function nameOperation(verb: string, text: string): string {
	if (verb === 'stash') return 'stash pop';
	if (verb !== 'pull') return verb;
	return /could not apply|^Rebasing/im.test(text) ? 'rebase' : 'merge';
}

/** Updates an interruption by a status of the working tree; only the long form tells whether an operation goes on. */
function readStatus(state: RepositoryState, interruption: Interruption, result: Source): void {
	const paths = listPaths(result.text, unmergedPathPattern);
	const isLongForm = longFormPattern.test(result.text);
	if (paths.length > 0) Object.assign(interruption, { unmergedPaths: paths, listing: result });
	else if (isLongForm && !unfinishedPattern.test(result.text)) state.interruption = undefined;
}

/** Whether a successful git command ends an interrupted operation. */
function endsOperation(operation: string, verb: string, words: readonly string[], text: string): boolean {
	if (mergingVerbPattern.test(verb)) return !/Stopped at|edit the commit/.test(text);
	if (operation === 'rebase' || operation === 'am') return verb === 'switch';
	return (
		verb === 'commit' || verb === 'switch' || (verb === 'reset' && words[0] !== '--') || verb === 'stash'
	);
}

function listPaths(text: string, pattern: RegExp): string[] {
	return [...text.matchAll(pattern)].map(([, path = '']) => path.trim());
}
