/** Reads how commands in the background ended: from notices of Claude Code and Antigravity, and from calls that show a command's output file. */

import type { ToolCall } from '../../../protocol/conversation.ts';
import { isFields } from '../../shape.ts';
import { toExitCode } from '../../transcript/index.ts';
import type { CallEnd } from '../message/callOutcome.ts';
import type { Source } from '../message/source.ts';
import { isExitKnown } from '../shell/checkRuns.ts';
import { findShellCommand } from '../shell/commands.ts';

/** The outcome of a command that someone stopped. */
export const stoppedMessage = 'stopped';

/** How a command in the background ended, according to a notice. */
export interface CommandEnd {
	failed: boolean;
	exitCode?: number;
	/** Whether someone ended the command. */
	wasCancelled?: boolean;
}

const noticeStart = '<task-notification>';
const idPattern = /<task-id>([\w-]{1,60})<\/task-id>/;
/** The notice of a command, not of a sub-agent, with its status and its summary. */
const commandPattern =
	/<status>(completed|failed)<\/status>\s{0,9}<summary>Background command [^\n]{0,600}<\/summary>/;
/** The end of a summary: `failed with exit code 101`, `completed (exit code 0)`. */
const exitCodePattern = /\bexit code (\d{1,3})\)?<\/summary>/;
/** Antigravity's notice of a task that ended, with its exit code if it failed. */
const antigravityNoticePattern =
	/^Task id "([^"\n]{1,80})" (finished|was canceled) with result:(?:\s{0,9}The command failed with exit code: (-?\d{1,12}))?/;
/** The name of the file to which Claude Code writes a command's output. */
const outputFilePattern = /([\w-]{1,60})\.output\b/;

/** Returns the commands that ended according to a message, by their ids. */
export function readEndNotices({ role, text }: Source): Map<string, CommandEnd> {
	const ends = new Map<string, CommandEnd>();
	if (role !== 'user') return ends;
	const [, taskId, report, failureCode] = antigravityNoticePattern.exec(text) ?? [];
	if (taskId !== undefined) {
		const exitCode = report === 'finished' ? toExitCode(failureCode ?? '0') : undefined;
		ends.set(taskId, { failed: (exitCode ?? 0) > 0, exitCode, wasCancelled: report === 'was canceled' });
	}
	if (!text.trimStart().startsWith(noticeStart)) return ends;
	for (const notice of text.split(noticeStart)) {
		const id = idPattern.exec(notice)?.[1];
		const [summary, status] = commandPattern.exec(notice) ?? [];
		if (id === undefined || summary === undefined) continue;
		const code = exitCodePattern.exec(summary)?.[1];
		ends.set(id, { failed: status === 'failed', exitCode: code === undefined ? undefined : Number(code) });
	}
	return ends;
}

/** Returns the id of the command whose output file a call shows; undefined for other calls. */
export function findShownCommandId(call: ToolCall): string | undefined {
	const path = isFields(call.args) ? (call.args.file_path ?? call.args.path) : undefined;
	const text = findShellCommand(call) ?? path;
	return typeof text === 'string' ? outputFilePattern.exec(text)?.[1] : undefined;
}

/**
 * Returns the content of a command's output file as the result of the command.
 * @param end how the command ended; undefined if it still ran
 */
export function toCommandResult(file: Source, id: string, end: CommandEnd | undefined): Source {
	const code = end?.exitCode === undefined ? '' : `Exit code ${end.exitCode}`;
	const state = end === undefined ? `Command running in background with ID: ${id}` : code;
	return { ...file, text: `${state}\n${file.text}`, failed: end?.failed };
}

/** Returns how a call ended of whose command nothing but the end is known. */
export function endWithoutOutput(running: CallEnd, end: CommandEnd): CallEnd {
	const { isCheck, checkRuns } = running;
	const { exitCode, failed } = end;
	const isPassKnown = !end.wasCancelled && (!isCheck || isExitKnown(checkRuns));
	return {
		...running,
		exitCode,
		failed,
		hasHiddenFailure: false,
		message: describeEnd(end, isPassKnown),
		hasPassed: !failed && isPassKnown,
		runningId: undefined,
	};
}

function describeEnd({ failed, wasCancelled }: CommandEnd, isPassKnown: boolean): string {
	if (failed) return '';
	if (wasCancelled) return stoppedMessage;
	return isPassKnown ? 'exit 0' : 'ended, its output was not read';
}
