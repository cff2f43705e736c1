/** Finds the part of a failed script that succeeded. */

import type { ToolCall } from '../../../protocol/conversation.ts';
import { workLimits } from '../../compact/tuning.ts';
import type { FileAccess } from '../../files/findTouches.ts';
import { getFileName, mayBeSamePath } from '../../files/paths.ts';
import { parseScript } from '../../files/touches/shell/script.ts';
import type { CallOutcome } from '../message/callOutcome.ts';
import { findCheckRuns } from '../shell/checkRuns.ts';
import { findShellCommand, isCheckCall, removeDocumentsAndComments } from '../shell/commands.ts';
import { complainsOnly } from '../text/errorLines.ts';
import { listOutputLines } from '../text/outputLines.ts';
import type { TouchedFile } from './fileCalls.ts';

const separatorPattern = /&&|;|\n/g;
/** Git's complaints about its arguments and the state of the files. */
const gitComplaintPattern = /^(?:fatal: |error: (?:pathspec|your local|cannot|could not|unable) ?)/im;

/**
 * Returns the commands of a failed script before the one that failed, if it is known: in `npm run build && cp dist/a.js public`,
 * the build or `cp`. A script that ends with its only check failed there if the output shows no complaint of the others: in
 * `sed -i … && npm test`, the tests failed after the change. Otherwise undefined.
 */
export function findSucceededPart(call: ToolCall, outcome: CallOutcome | undefined): ToolCall | undefined {
	if (!outcome?.failed || outcome.wasStopped) return undefined;
	return findPartBeforeFailure(call, outcome) ?? findPartBeforeCheck(call, outcome);
}

function findPartBeforeCheck(call: ToolCall, outcome: CallOutcome): ToolCall | undefined {
	if (outcome.checkRuns.length !== 1) return undefined;
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

/** The program that complains in a line of an output: `cp: cannot stat …`. */
const complainerPattern = /^(?:\S{0,40}sh: (?:line )?(?:\d{1,4}: )?)?([\w.-]{1,40}): /;

/**
 * Returns the commands of a failed chain (`a && b && c`) before the one that failed: the first that the output complains about,
 * or the first check. Undefined if it is not known which one failed.
 */
function findPartBeforeFailure(call: ToolCall, { result: { text } }: CallOutcome): ToolCall | undefined {
	const command = removeDocumentsAndComments(findShellCommand(call) ?? '').trim();
	// The arguments of other calls need not even be an object.
	if (command === '' || /;|\n|\|\|/.test(command) || command.length > workLimits.maxLengthOf.command)
		return undefined;
	const parts = command.split('&&');
	const lines = text.slice(0, workLimits.statusLength).split('\n');
	const complainers = new Set(lines.map((line) => complainerPattern.exec(line)?.[1]));
	const index = parts.findIndex(
		(part) => complainers.has(part.trim().split(/\s/, 1)[0]) || isCheckCall(createPart(call, part)),
	);
	return parts.length < 2 || index < 0 ? undefined : createPart(call, parts.slice(0, index).join('&&'));
}

/** A program whose text follows in a here-document. */
const inlineProgramPattern =
	/^(?:cd \S{1,300} && )?(?:python3?|node|bun|deno|ruby|perl)\b[^\n;&|]{0,200}<<-?\s?["']?(\w{1,40})["']?\s*$/;

/**
 * Whether a failed command may have written a file. A single command that only complains has not written its only file, nor one
 * that a complaint names; a program in a here-document mostly fails before it writes its only file.
 */
export function mayHaveWritten(
	path: string,
	isOnlyFile: boolean,
	{ call, result: { text } }: CallOutcome,
): boolean {
	const command = findShellCommand(call) ?? '';
	const isNamed = text.includes(getFileName(path));
	if (!/[;&\n]|\|\|/.test(command) && complainsOnly(listOutputLines(text).join('\n')))
		return !isOnlyFile && !isNamed;
	return !isOnlyFile || isNamed || !isInlineProgram(command);
}

/**
 * Whether a call ran a program in a here-document that failed, and each file that it was to write changed later: another
 * attempt has the same content.
 */
export function isRetriedProgram(
	call: ToolCall,
	outcome: CallOutcome | undefined,
	touches: FileAccess['touches'],
	changedFiles: readonly TouchedFile[],
): boolean {
	if (!outcome?.failed || !isInlineProgram(findShellCommand(call) ?? '')) return false;
	const written = touches.filter(({ kind }) => kind === 'edit');
	const changedLater = changedFiles.filter(({ seq }) => seq > outcome.caller.seq);
	return (
		written.length > 0 &&
		written.every((one) => changedLater.some(({ path }) => mayBeSamePath(path, one.path)))
	);
}

/** Whether a command only runs a program whose text it contains. */
function isInlineProgram(command: string): boolean {
	const [first = ''] = command.split('\n', 1);
	const end = inlineProgramPattern.exec(first)?.[1];
	return end !== undefined && command.trimEnd().endsWith(`\n${end}`);
}

/** Returns the call with a part of its script. */
function createPart(call: ToolCall, script: string): ToolCall {
	const args = call.args as Record<string, unknown>;
	return { ...call, args: { ...args, ['command' in args ? 'command' : 'cmd']: script.trim() } };
}
