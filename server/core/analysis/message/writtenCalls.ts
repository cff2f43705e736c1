/** Reads the calls that agents write as text, in code blocks or tags, instead of calling tools, and commands that the user ran. */

import type { ToolCall } from '../../../protocol/conversation.ts';
import { saysFailure } from '../text/saysFailure.ts';
import type { Source } from './source.ts';

/** A message of an agent, split into its prose and the call that it writes. */
interface WrittenCall {
	/** UTF-16 units before the call. */
	proseLength: number;
	name: string;
	args: Record<string, string | number[]>;
}

/** The first line of a code block with a command. */
const namedFencePattern = /^```(?:bash|sh|shell|zsh|console)[ \t\r]*$/;
const plainFencePattern = /^```[ \t\r]*$/;
/** Commands of SWE-agent's file viewer and editor, which no shell knows, by the name of their first argument. */
const viewerCommands: ReadonlyMap<string, 'path' | 'query'> = new Map([
	['open', 'path'],
	['create', 'path'],
	['edit', 'query'],
	['insert', 'query'],
	['append', 'query'],
	['replace', 'query'],
	['goto', 'query'],
	['scroll_up', 'query'],
	['scroll_down', 'query'],
	['search_dir', 'query'],
	['search_file', 'query'],
	['find_file', 'query'],
]);
/** An argument with the first and the last line of a view: `[80, 90]`. */
const lineRangePattern = /^\[\d{1,9}, ?-?\d{1,9}\]$/;
/** Editor tools that models are trained on, whose calls some agents write like commands. */
const editorTools: ReadonlySet<string> = new Set(['str_replace_editor', 'str_replace_based_edit_tool']);

/** A command that the user ran in Claude Code with `!`, and the name of the tool in whose name it is shown. */
const ownCommandPattern = /^\s{0,9}<bash-input>([\s\S]{1,20000}?)<\/bash-input>\s{0,9}$/;
const ownShellName = "user's shell";

/**
 * Returns an agent's message with the call that it writes at its end, or the user's message with a command, and the output with
 * the id of that call; undefined if the message writes none. Of an agent's message, reads the only block of a shell, or the last
 * block without a language; a tag such as `<function=bash>`; or `<execute_bash>`. Linear in the message.
 */
export function pairWrittenCall(
	message: Source | undefined,
	output: Source,
): { caller: Source; result: Source } | undefined {
	if (message === undefined || message.calls.length > 0) return undefined;
	const written = message.role === 'user' ? readOwnCommand(message.text) : readWrittenCall(message);
	if (written === undefined) return undefined;
	const { proseLength, name, args } = written;
	const call: ToolCall = { id: `${message.id}:written`, name, args };
	return {
		caller: {
			...message,
			role: 'assistant',
			isInjected: false,
			text: message.text.slice(0, proseLength).trimEnd(),
			calls: [call],
		},
		result: {
			...output,
			isInjected: false,
			toolName: name,
			toolCallId: call.id,
			failed: saysFailure(output.text, name),
		},
	};
}

function readOwnCommand(text: string): WrittenCall | undefined {
	const command = ownCommandPattern.exec(text)?.[1]?.trim();
	return command ? { proseLength: 0, name: ownShellName, args: { command } } : undefined;
}

function readWrittenCall({ role, text }: Source): WrittenCall | undefined {
	return role === 'assistant' ? (readTaggedCall(text) ?? readCodeBlock(text)) : undefined;
}

function readTaggedCall(text: string): WrittenCall | undefined {
	const [opening, name, shellName] = /<function=([\w-]{1,60})>|<execute_(bash)>/.exec(text) ?? [];
	if (opening === undefined) return undefined;
	const proseLength = text.indexOf(opening);
	const body = text.slice(proseLength + opening.length);
	if (shellName !== undefined)
		return { proseLength, name: shellName, args: { command: readUntil(body, '</execute_bash>').trim() } };
	const parameters = body.split('<parameter=').slice(1);
	const args = parameters.map((part): [string, string | number[]] => {
		const key = readUntil(part, '>');
		const value = readUntil(part.slice(key.length + 1), '</parameter>').replace(/^\n|\n$/g, '');
		return [key, lineRangePattern.test(value) ? JSON.parse(value) : value];
	});
	return { proseLength, name: name!, args: Object.fromEntries(args) };
}

function readUntil(text: string, mark: string): string {
	const end = text.indexOf(mark);
	return end < 0 ? text : text.slice(0, end);
}

function readCodeBlock(text: string): WrittenCall | undefined {
	const lines = text.split('\n');
	const last = lines.findLastIndex((line) => plainFencePattern.test(line));
	const shellBlocks = lines.flatMap((line, index) => (namedFencePattern.test(line) ? [index] : []));
	if (shellBlocks.length > 1) return undefined;
	const first =
		shellBlocks[0] ?? lines.slice(0, Math.max(0, last)).findLastIndex((line) => plainFencePattern.test(line));
	if (first < 0 || last <= first) return undefined;
	const command = lines
		.slice(first + 1, last)
		.join('\n')
		.trim();
	if (command === '') return undefined;
	const proseLength = lines.slice(0, first).join('\n').length;
	return { proseLength, ...readCommand(command) };
}

function readCommand(command: string): Omit<WrittenCall, 'proseLength'> {
	const [line = ''] = command.split('\n', 1);
	const input = command.slice(line.length + 1);
	const [program = '', first = '', second = '', ...others] = line.trim().split(/\s+/);
	if (editorTools.has(program)) {
		const rest = [others.join(' '), input].filter((text) => text !== '').join('\n');
		return { name: program, args: { command: first, path: second, input: rest } };
	}
	const argument = viewerCommands.get(program);
	if (argument === undefined) return { name: 'bash', args: { command } };
	const subject = argument === 'path' ? first : line.trim().slice(program.length).trim();
	return { name: program, args: { ...(subject && { [argument]: subject }), ...(input && { input }) } };
}
