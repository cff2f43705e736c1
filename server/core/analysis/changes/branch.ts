/** Finds the branch on which the work stands, as git's output names it. */

import { commitReportPattern } from '../calls/callEnd.ts';
import type { CallOutcome } from '../message/callOutcome.ts';
import type { Source } from '../message/source.ts';
import type { GitCommand } from '../shell/gitCommands.ts';
import { isTrial } from './commitReports.ts';

/** A branch of a repository. */
export interface Branch {
	/** Empty for a commit without a branch, a detached HEAD. */
	name: string;
	/** The newest result that names the branch. */
	report: Source;
	/** The folder of the command that named the branch, if it changed to one. */
	folder?: string;
	/** The branch compared with its upstream: "ahead of origin/main by 2 commits"; absent if a later command may change it. */
	position?: string;
	/** The branches before it, oldest first. */
	earlier?: readonly LeftBranch[];
}

interface LeftBranch {
	name: string;
	/** The result that first named the next branch. */
	until: Source;
	/** Whether the next branch was created from it, with the same files. */
	isForked: boolean;
}

/** Maximum number of earlier branches that are remembered. */
const maxEarlierBranches = 50;

/** Whether a result is one of another branch, which may have had other files. */
export function isOnOtherBranch({ name, earlier = [] }: Branch, { seq }: Source): boolean {
	const left = earlier.filter(({ until }) => seq < until.seq);
	return left[0] !== undefined && left[0].name !== name && !left.every(({ isForked }) => isForked);
}

/** The line in which `git status` names the branch, also in German, French, Spanish, Italian, Chinese and Japanese. */
const statusPattern =
	/^(?:Output: )?(?:(?:On branch|Auf Branch|Sur la branche|En la rama|Sul branch|位于分支|ブランチ) (\S{1,200})|## (?!HEAD \(|No commits)(\S{1,200}?)(?:\.\.\.\S*(?: \[([^\]\n]{1,60})\])?)?)[ \t]*$/m;
const detachedPattern = /^(?:Output: )?(?:## HEAD \(|HEAD detached |You are in 'detached HEAD' state)/m;
const positionPattern = /^Your branch is ((?:ahead of|behind) '[^'\n]{1,200}' by \d{1,9} commits?)/m;
const switchPattern =
	/(?:Switched to (?:a new |and reset )?branch|Already on|Reset branch|Zu(?: neuem)? Branch|Bereits auf) '([^'\n]{1,200})'/g;
const currentBranchPattern = /^\* (\S{1,200})(?: +[0-9a-f]{7,40} .*)?$/m;
/** Commands that may change how a branch compares with its upstream. */
const movingVerbPattern = /^(?:commit|push|pull|fetch|merge|rebase|reset|cherry-pick|revert|am)$/;

/** Returns the branch after the git commands of a call; undefined if it is unknown. */
export function readBranch(
	branch: Branch | undefined,
	outcome: CallOutcome,
	commands: readonly GitCommand[],
): Branch | undefined {
	const { failed, result } = outcome;
	const namedFolder = commands.findLast((command) => command.folder !== undefined)?.folder;
	const folder = namedFolder ?? outcome.folder;
	if (isTrial(outcome)) return branch;
	if (failed) return readFailedSwitch(branch, result, commands);
	let current = branch;
	for (const command of commands) current = readCommand(current, command, result, commands.length);
	if (current === undefined || current === branch) return current;
	// With the option `-C`, git works on another repository, whose branch says nothing about earlier checks.
	const isLeft = branch !== undefined && branch.name !== current.name && namedFolder === undefined;
	const left = isLeft ? [{ name: branch.name, until: result, isForked: commands.some(forksHere) }] : [];
	const earlier = [...(branch?.earlier ?? []), ...left].slice(-maxEarlierBranches);
	return { ...current, folder, earlier };
}

/** The end of a line in which another program names the branch: `● Enabled · branch main`, `… and switched to branch main`. */
const otherStatusPattern = /(?:[·•|]|\bswitched to) branch:? (\S{1,200})[ \t]*$/m;

/** Returns the branch after a command other than git that may print a status. */
export function readOtherStatus(
	branch: Branch | undefined,
	{ folder, result }: CallOutcome,
): Branch | undefined {
	const name = otherStatusPattern.exec(result.text)?.[1];
	return name === undefined || name === branch?.name ? branch : { name, report: result, folder };
}

/** Returns the index of the option that creates a branch; -1 if there is none. */
function findCreateOption(words: readonly string[]): number {
	return words.findIndex((word) => /^(?:-[a-z]{0,9}[bBcC]|--create)$/.test(word));
}

/** Whether a command creates a branch at the current commit, which has the same files. */
function forksHere({ verb, words }: GitCommand): boolean {
	if (verb !== 'checkout' && verb !== 'switch') return false;
	const option = findCreateOption(words);
	return option >= 0 && words.length <= option + 2;
}

/** Returns the branch after one of the `commandCount` git commands whose output a result contains. */
function readCommand(
	branch: Branch | undefined,
	command: GitCommand,
	report: Source,
	commandCount: number,
): Branch | undefined {
	const { verb } = command;
	if (verb === 'status') return readStatus(branch, report);
	if (verb === 'checkout' || verb === 'switch') return readSwitch(branch, command, report);
	const name = findName(command, report.text, commandCount);
	if (name !== undefined) return { name, report };
	if (branch?.position !== undefined && movingVerbPattern.test(verb))
		return { name: branch.name, report: branch.report };
	return branch;
}

/** Returns the branch after a script that failed, perhaps after it switched to another one. */
function readFailedSwitch(
	branch: Branch | undefined,
	report: Source,
	commands: readonly GitCommand[],
): Branch | undefined {
	const isSwitch = ({ verb }: GitCommand): boolean => verb === 'checkout' || verb === 'switch';
	if (!commands.some(isSwitch)) return branch;
	const name = findSwitchedBranch(report.text);
	if (name !== undefined) return { name, report };
	return commands.length === 1 ? branch : undefined;
}

/** Returns the branch to which a script switched last, as git reports it. */
function findSwitchedBranch(text: string): string | undefined {
	return [...text.matchAll(switchPattern)].at(-1)?.[1];
}

function readStatus(branch: Branch | undefined, report: Source): Branch | undefined {
	const [, long, short, distance] = statusPattern.exec(report.text) ?? [];
	const name = long ?? short;
	if (name === undefined) return detachedPattern.test(report.text) ? { name: '', report } : branch;
	const position = distance ?? positionPattern.exec(report.text)?.[1]?.replaceAll("'", '');
	return { name, report, position: position === 'gone' ? undefined : position };
}

function readSwitch(branch: Branch | undefined, { words }: GitCommand, report: Source): Branch | undefined {
	const name = findSwitchedBranch(report.text);
	if (name !== undefined) return { name, report };
	if (detachedPattern.test(report.text)) return { name: '', report };
	if (words.includes('--') || /^Updated \d+ path/m.test(report.text)) return branch;
	const option = findCreateOption(words);
	const created = option < 0 ? undefined : words[option + 1];
	return created === undefined || created.includes('$') ? undefined : { name: created, report };
}

/** Returns the branch that a commit or a list of branches names. */
function findName({ verb, words }: GitCommand, text: string, commandCount: number): string | undefined {
	if (verb === 'commit') return commitReportPattern.exec(text)?.[1];
	if (verb === 'branch' && words.includes('--show-current'))
		return commandCount === 1 ? /^\S{1,200}$/.exec(text.trim())?.[0] : undefined;
	if (verb !== 'branch') return undefined;
	if (/^(?:-[mM]|--move)$/.test(words[0] ?? '')) return words.at(-1);
	return currentBranchPattern.exec(text)?.[1];
}
