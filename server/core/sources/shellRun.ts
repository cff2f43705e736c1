/** Reads the shell commands of calls, normalized so that equal commands are equal strings. */

import type { ToolCall } from '../../protocol/conversation.ts';
import { findShellRule } from '../files/findTouches.ts';
import { standardizeCall } from '../files/standardCall.ts';
import { isFields } from '../shape.ts';
import { firstText } from '../values.ts';

/** Longer commands are not compared. UTF-16 units. */
const maxCommandLength = 10_000;

/** A shell command that a call runs. */
export interface ShellRun {
	/** The command on one line. */
	command: string;
	/** The folder that the call names; absent if it names none. */
	folder?: string;
	toolName: string;
}

/** Returns a command on one line: each run of white space becomes one space. `sh -c 'script'` becomes the script. */
export function toOneLineCommand(text: string): string {
	const command = text.trim().split(/\s+/).join(' ');
	return /^(?:\/[\w/]+\/)?(?:bash|sh|zsh) -[a-z]*c '([^']+)'$/.exec(command)?.[1]?.trim() ?? command;
}

/** Returns the shell command that a call runs; undefined if it runs none, or a very long one. */
export function readShellRun(call: ToolCall): ShellRun | undefined {
	const { name: toolName, args } = standardizeCall(call);
	const rule = findShellRule(toolName);
	if (rule === undefined || !isFields(args)) return undefined;
	const value = rule.command.map((name) => args[name]).find((argument) => argument !== undefined);
	const text = readScript(value);
	if (text === undefined || text.length > maxCommandLength) return undefined;
	const command = toOneLineCommand(text);
	if (command === '') return undefined;
	const folder = firstText(...(rule.folder ?? []).map((name) => args[name]));
	return { command, toolName, ...(folder !== undefined && { folder }) };
}

/** Returns a string unchanged. Of an array of words, returns the script after `sh -c`, else the joined words. */
function readScript(value: unknown): string | undefined {
	if (typeof value === 'string') return value;
	if (!Array.isArray(value) || !value.every((word) => typeof word === 'string')) return undefined;
	const words: readonly string[] = value;
	const [shell = '', flag = '', script] = words;
	const isScript = words.length === 3 && /^(?:.*\/)?(?:bash|sh|zsh)$/.test(shell) && /^-[a-z]*c$/.test(flag);
	return isScript ? script : words.join(' ');
}
