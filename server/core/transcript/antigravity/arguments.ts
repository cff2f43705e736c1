/** Gives the arguments of the tools of Antigravity and Windsurf the names that most other agents use. */

import type { ToolCall } from '../../../protocol/conversation.ts';
import { parseArgumentsJson } from '../../format/wire/arguments.ts';
import { type Fields, isFields } from '../../shape.ts';

const toolPattern =
	/^(?:run_command|command_status|manage_task|view_file|write_to_file|(?:multi_)?replace_file_content|list_dir|grep_search|find_by_name)$/;

const argumentNames: ReadonlyMap<string, string> = new Map([
	['CommandLine', 'command'],
	['Cwd', 'cwd'],
	['AbsolutePath', 'file_path'],
	['TargetFile', 'file_path'],
	['DirectoryPath', 'path'],
	['SearchPath', 'path'],
	['SearchDirectory', 'path'],
	['Query', 'pattern'],
	['Pattern', 'pattern'],
	['StartLine', 'start_line'],
	['EndLine', 'end_line'],
	['CodeContent', 'content'],
	['TargetContent', 'old_string'],
	['ReplacementContent', 'new_string'],
	['ReplacementChunks', 'edits'],
	['TaskId', 'task_id'],
	['CommandId', 'task_id'],
]);

/** Arguments that describe a call to its user, or control how it runs. */
const controlPattern =
	/^(?:toolAction|toolSummary|Description|Instruction|AllowMultiple|Overwrite|IsArtifact|WaitMsBeforeAsync)$/;
/** Arguments with a path, which agents write with the drive's letter in both cases. */
const pathPattern = /^(?:Cwd|AbsolutePath|TargetFile|DirectoryPath|SearchPath|SearchDirectory)$/;

/** Returns a call of a tool of Antigravity or Windsurf with standard names of arguments; other calls unchanged. */
export function standardizeArguments(call: ToolCall): ToolCall {
	if (!toolPattern.test(call.name) || !isFields(call.args)) return call;
	if (!Object.keys(call.args).some((name) => argumentNames.has(name))) return call;
	return { ...call, args: renameArguments(call.args) };
}

function renameArguments(args: Fields): Fields {
	// The lines of an edit only say where the replaced text is.
	const isEdit = args.TargetContent !== undefined;
	const entries = Object.entries(args)
		.filter(([name]) => !controlPattern.test(name) && !(isEdit && /^(?:Start|End)Line$/.test(name)))
		.map(([name, value]) => [argumentNames.get(name) ?? name, standardizeValue(name, value)]);
	return Object.fromEntries(entries);
}

/** Returns a path with its drive in upper case, or the parts of an edit, perhaps from JSON text, with standard names. */
function standardizeValue(name: string, value: unknown): unknown {
	if (pathPattern.test(name) && typeof value === 'string' && /^[a-z]:[\\/]/.test(value))
		return value.charAt(0).toUpperCase() + value.slice(1);
	if (name !== 'ReplacementChunks') return value;
	const list = typeof value === 'string' ? parseArgumentsJson(value) : value;
	return Array.isArray(list)
		? list.map((one: unknown) => (isFields(one) ? renameArguments(one) : one))
		: value;
}
