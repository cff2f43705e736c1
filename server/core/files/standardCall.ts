/** Reads calls of all agents in the same words, so that their commands, files and edits are found under the same names. */

import type { ToolCall } from '../../protocol/conversation.ts';
import { parseArgumentsJson } from '../format/wire/arguments.ts';
import { type Fields, isFields } from '../shape.ts';
import { unwrapScriptedCall } from './scriptedCall.ts';

/** The arguments of Antigravity and Windsurf, and what most other agents call them. */
const argumentNames: Readonly<Record<string, string>> = {
	CommandLine: 'command',
	Cwd: 'cwd',
	AbsolutePath: 'file_path',
	TargetFile: 'file_path',
	DirectoryPath: 'path',
	SearchPath: 'path',
	SearchDirectory: 'path',
	Query: 'pattern',
	StartLine: 'start_line',
	EndLine: 'end_line',
	CodeContent: 'content',
	TargetContent: 'old_string',
	ReplacementContent: 'new_string',
	ReplacementChunks: 'edits',
	TaskId: 'task_id',
	CommandId: 'task_id',
};

/** Arguments that describe a call to its user, or control how it runs. */
const asidePattern =
	/^(?:toolAction|toolSummary|Description|Instruction|AllowMultiple|Overwrite|IsArtifact|WaitMsBeforeAsync)$/;

/** Returns a call with standard names of arguments; a script that only calls tools becomes the call that it makes. */
export function standardizeCall(call: ToolCall): ToolCall {
	const { args, ...made } = unwrapScriptedCall(call);
	if (!isFields(args) || !Object.keys(args).some((name) => Object.hasOwn(argumentNames, name)))
		return { ...made, args };
	return { ...made, args: renameArguments(args) };
}

function renameArguments(args: Fields): Fields {
	// The lines of an edit only say where the replaced text stands.
	const isEdit = args.TargetContent !== undefined;
	const entries = Object.entries(args)
		.filter(([name]) => !asidePattern.test(name) && !(isEdit && /^(?:Start|End)Line$/.test(name)))
		.map(([name, value]) => [argumentNames[name] ?? name, standardizeValue(value)]);
	return Object.fromEntries(entries);
}

/**
 * Returns the parts of an edit with standard names, and the drive of a path in upper case, because agents write it in both;
 * other values unchanged. Some agents write the list of parts as JSON text.
 */
function standardizeValue(value: unknown): unknown {
	if (typeof value === 'string' && /^[a-z]:[\\/]/.test(value))
		return value[0]?.toUpperCase() + value.slice(1);
	const isJsonList = typeof value === 'string' && /^\s{0,9}\[\s{0,9}\{/.test(value);
	const list = isJsonList ? parseArgumentsJson(value) : value;
	if (!Array.isArray(list)) return value;
	return list.map((one: unknown) => (isFields(one) ? renameArguments(one) : one));
}
