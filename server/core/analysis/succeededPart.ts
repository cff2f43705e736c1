/** Finds the part of a failed script that succeeded. */

import type { ToolCall } from '../../protocol/conversation.ts';
import { workLimits } from '../compact/tuning.ts';
import { parseScript } from '../files/touches/shell/script.ts';
import { findCheckRuns } from './checkRuns.ts';
import { findShellCommand, isCheckCall } from './commands.ts';
import type { CallOutcome } from './outcomes.ts';

const separatorPattern = /&&|;|\n/g;
/** Git's complaints about its arguments and the state of the files. */
const gitComplaintPattern = /^(?:fatal: |error: (?:pathspec|your local|cannot|could not|unable) ?)/im;

/**
 * Returns the commands of a failed script before its last command, if only the last one is a check and the output shows no
 * complaint of the others: in `sed -i … && npm test`, the tests failed after the change. Otherwise undefined.
 */
export function findSucceededPart(call: ToolCall, outcome: CallOutcome | undefined): ToolCall | undefined {
	if (!outcome?.failed || outcome.wasStopped || outcome.checkRuns.length !== 1) return undefined;
	const command = findShellCommand(call);
	if (command === undefined || command.length > workLimits.maxLengthOf.command) return undefined;
	const last = [...command.matchAll(separatorPattern)].at(-1);
	if (last === undefined || !isCheckCall(createPart(call, command.slice(last.index + last[0].length))))
		return undefined;
	const part = createPart(call, command.slice(0, last.index));
	const commands = parseScript(findShellCommand(part) ?? '')?.flatMap((pipeline) => pipeline.commands);
	if (commands === undefined || findCheckRuns(part).length > 0) return undefined;
	const beginning = outcome.result.text.slice(0, workLimits.statusLength);
	const lines = beginning.split('\n');
	const hasComplaint = commands.some(({ words }) =>
		lines.some((line) => line.startsWith(`${words[0]?.text}: `)),
	);
	return hasComplaint || gitComplaintPattern.test(beginning) ? undefined : part;
}

/** A program whose text follows in a here-document. */
const inlineProgramPattern =
	/^(?:cd \S{1,300} && )?(?:python3?|node|bun|deno|ruby|perl)\b[^\n;&|]{0,200}<<-?\s?["']?(\w{1,40})["']?\s*$/;

/** Whether a command only runs a program whose text it contains. Such a program mostly fails before it writes its only file. */
export function isInlineProgram(command: string): boolean {
	const [first = ''] = command.split('\n', 1);
	const end = inlineProgramPattern.exec(first)?.[1];
	return end !== undefined && command.trimEnd().endsWith(`\n${end}`);
}

/** Returns the call with a part of its script. */
function createPart(call: ToolCall, script: string): ToolCall {
	const args = call.args as Record<string, unknown>;
	return { ...call, args: { ...args, ['command' in args ? 'command' : 'cmd']: script.trim() } };
}
