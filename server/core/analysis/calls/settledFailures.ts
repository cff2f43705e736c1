/** Finds the calls that settle failed ones, because the same action or check passed. */

import type { ToolCall } from '../../../protocol/conversation.ts';
import { patchStart } from '../../files/touches/patch.ts';
import { getOrInsert } from '../../getOrInsert.ts';
import type { CallOutcome } from '../message/callOutcome.ts';
import { listArguments, type Source } from '../message/source.ts';
import { type CheckRun, coversFailedRun, setsOtherValue } from '../shell/checkRuns.ts';
import { findShellCommand, hasShellCommand, mayBeSameFolder } from '../shell/commands.ts';
import { hashWords } from '../text/hashes.ts';
import { noMatchMessage } from './callEnd.ts';
import { unreadFilePattern } from './calls.ts';
import { listWrittenLines } from './changedLines.ts';

/** A search for failures, whose empty output is good news. With `-v` or `-q`, an empty output says nothing. */
const failureSearchPattern = /(?<![-\w])(?:rg|grep)(?:\s+-[a-pr-uw-z\d]+)*\s+["'(]*(?:error|fail|warn)/i;
/** Maximum number of passed edits of a file that a failed one is compared with: the next ones. */
const maxComparedEdits = 8;

/** Minimum share of a failed edit's words that a later edit must write to repeat it. */
const minRepeatedShare = 0.5;

/** Calls that passed, by what they did: an action, a check, or an edit of a file. */
type Passes = Map<string, { outcome: CallOutcome; run?: CheckRun }[]>;

/**
 * Records for each failed call the result that settles it: the same action, or all its checks, passed in its folder.
 * @param outcomes all outcomes from the first failure on, in order
 * @param nameEdit returns a name of the first file that a call edits
 */
export function markSettledFailures(
	outcomes: readonly CallOutcome[],
	nameEdit: (call: ToolCall) => string | undefined,
): void {
	const passes: Passes = new Map();
	const addPass = (action: string, isEdit: boolean, outcome: CallOutcome, run?: CheckRun): void => {
		const others = getOrInsert(passes, action, () => []);
		const last = others.at(-1);
		const isRepeated = !last?.run || !run || coversFailedRun(run, last.run);
		// Edits of a file differ, so that several of them are compared with a failed one.
		if (!isEdit && isRepeated && last?.outcome.folder === outcome.folder) others.pop();
		if (isEdit && others.length === maxComparedEdits) others.shift();
		others.push({ outcome, run });
	};
	for (const outcome of outcomes.toReversed()) {
		const { actionKey, checkRuns, call, folder } = outcome;
		outcome.settledBy = undefined;
		if (outcome.failed || outcome.hasHiddenFailure) {
			const unreadEdit = unreadFilePattern.test(outcome.message) ? nameEdit(call) : undefined;
			// The agent reads the file and tries again, perhaps with other words or with another tool.
			const isOnlyUnreadEdit =
				unreadEdit !== undefined &&
				outcome.caller.calls.filter((one) => nameEdit(one) === unreadEdit).length === 1;
			const findPass = (action: string, run?: CheckRun): Source | undefined =>
				passes
					.get(action)
					?.findLast(
						(one) =>
							(run === undefined || (one.run !== undefined && coversFailedRun(one.run, run))) &&
							mayBeSameFolder(one.outcome.folder, folder) &&
							one.outcome.caller !== outcome.caller &&
							!one.outcome.isStashed === !outcome.isStashed &&
							(!action.startsWith(attemptPrefix) || hasAllOptions(one.outcome.call, call)) &&
							(isOnlyUnreadEdit || repeatsAttempt(one.outcome, outcome)),
					)?.outcome.result;
			const settlingResults = checkRuns.map((run) => findPass(`check ${run.tool}`, run));
			const latest = settlingResults.reduce((a, b) => (a && b && a.seq > b.seq ? a : b), settlingResults[0]);
			outcome.settledBy =
				findPass(actionKey ?? '') ??
				findPass(outcome.command) ??
				findPass(unreadEdit ?? '') ??
				findPass(outcome.isCheck ? '' : (nameAttempt(call) ?? '')) ??
				(settlingResults.includes(undefined) ? undefined : latest);
		} else if (outcome.message === noMatchMessage) {
			// The whole command includes the searched words, unlike the action key.
			const { command } = outcome;
			if (outcome.isCheck && failureSearchPattern.test(command)) addPass(command, false, outcome);
		} else if (outcome.hasPassed) {
			const edit = nameEdit(call);
			const isEdit = edit !== undefined;
			if (actionKey !== undefined) addPass(actionKey, isEdit, outcome);
			const attempt = isEdit || outcome.isCheck ? undefined : nameAttempt(call);
			if (attempt !== undefined) addPass(attempt, isEdit, outcome);
			if (isEdit) addPass(edit, isEdit, outcome);
			for (const run of checkRuns) addPass(`check ${run.tool}`, isEdit, outcome, run);
		}
	}
}

/**
 * Whether a passed call may be another attempt at a failed one of another message. Edits of a file are compared by what
 * they write, and a call that writes the whole file repeats any edit. Only the same command repeats one with a script.
 */
function repeatsAttempt(passed: CallOutcome, failed: CallOutcome): boolean {
	const [command, failedCommand] = [findShellCommand(passed.call), findShellCommand(failed.call)];
	if (setsOtherValue(command, failedCommand)) return false;
	if (hasInputScript(failedCommand)) return command === failedCommand;
	const before = listWrittenWords(failed.call);
	const now = before && listWrittenWords(passed.call);
	return !before || !now || repeatsWords(now, before);
}

/** Maximum length of a command that is compared with one that has more options. UTF-16 units. */
const maxAttemptLength = 400;
const attemptPrefix = 'words ';

/** Returns a name of what a command does, without its options: `push origin main` with and without `--no-verify`. */
function nameAttempt(call: ToolCall): string | undefined {
	const command = findShellCommand(call);
	if (command === undefined || command.length > maxAttemptLength || command.includes('\n')) return undefined;
	const words = command.split(' ').filter((word) => word !== '' && !word.startsWith('-'));
	return `${attemptPrefix}${words.join(' ')}`;
}

/** Whether a command has all options of a failed one, and perhaps more. */
function hasAllOptions(passed: ToolCall, failed: ToolCall): boolean {
	const [options, failedOptions] = [passed, failed].map((call) =>
		(findShellCommand(call) ?? '').split(' ').filter((word) => word.startsWith('-')),
	);
	return failedOptions?.every((option) => options?.includes(option)) === true;
}

/** Whether an edit writes most words of an earlier one. */
function repeatsWords(now: ReadonlySet<number>, before: ReadonlySet<number>): boolean {
	const repeated = [...before].filter((word) => now.has(word)).length;
	return repeated >= minRepeatedShare * before.size;
}

/** Whether a command passes a here-document to a program other than `cat` or `tee`. */
function hasInputScript(command: string | undefined): boolean {
	if (!command?.includes('<<')) return false;
	return command.split('\n').some((line) => {
		const start = line.indexOf('<<');
		return start >= 0 && (!/\b(?:cat|tee)\b/.test(line.slice(0, start)) || line.includes('|', start));
	});
}

/** Returns the words that an edit puts in place of others; undefined for calls that replace no part of a file. */
function listWrittenWords(call: ToolCall): ReadonlySet<number> | undefined {
	if (hasShellCommand(call)) return undefined;
	const all = listArguments(call);
	const texts = all.some(({ text }) => text.includes(patchStart))
		? listWrittenLines(call).flat()
		: all.flatMap(({ text, replacedText }) => (replacedText === undefined ? [] : [text]));
	return texts.length === 0 ? undefined : new Set(texts.flatMap(hashWords));
}
