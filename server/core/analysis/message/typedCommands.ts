/** Reads the commands that users type to their agents, and recognizes messages that only concern the agent's program. */

import { tuning } from '../../compact/tuning.ts';

/** Commands of agents that concern their own window or account. */
const windowPattern =
	/^(?:exit|quit|q|bye|clear|new|compact|compress|ide|logout|status|stats|cost|tokens|context|doctor|help|mcp|memory|hooks|agents|tools|plugins?|rewind|ask|architect|code|chat-mode|drop|reset|ls|map|map-refresh|multiline-mode)$/;
/** Commands of agents that concern their settings, as do the arguments of these commands. */
const settingPattern =
	/^(?:models?|effort|config|settings|permissions|approvals|theme|color|fast|vim|add-dir|resume|rename|export|login|usage)$/;
/** A command without arguments. */
const bareCommandPattern = /^\/([\w-][\w:.-]{0,60})$/;
const commandNamePattern = /<command-name>\/?([\w-][\w:.-]{0,60})</;
const argumentPattern = /<command-args>\s*[^<\s]/;
const commandArgumentsPattern = /<command-args>([\s\S]{0,20000}?)<\/command-args>/;
/**
 * Texts that agents add around a user's words: the output of local commands, notices of the folder and date, notices of
 * interruptions, which the next message explains, and notices of commands that ended, whose output a later call reads.
 */
const clientNoticePattern =
	/^(?:\s*(?:<(local-command-std(?:out|err)|turn_aborted|environment_context|system_notification)>[\s\S]*?(?:<\/\1>|$)|\[Request interrupted by user[^\]\n]{0,40}\]))+/;
/**
 * What a task in the background reports: the result of a sub-agent, or a failure. Other notices only say that it goes on. The
 * failure of a command is shown with its call.
 */
const taskReportPattern = /<result>|^(?!.*<summary>Background command ).*(?:fail|error)/is;
/** The elements of a command without arguments in Claude Code. */
const commandElementPattern = /^(?:\s*<(command-\w+)>[^<]*<\/\1>)+/;
const leavingPattern = /^(?:exit|quit|:q!?|(?:good)?bye)[^\p{L}\p{N}]*$/iu;

function isClientCommand(name: string): boolean {
	return windowPattern.test(name) || settingPattern.test(name);
}

/**
 * Whether a message in the user's role concerns the agent's program, not the work. False if text of the user follows, as
 * in merged messages.
 */
export function isAboutClient(text: string): boolean {
	const rest = text.replace(clientNoticePattern, '').trim();
	if (rest === '') return text.trim() !== '';
	if (rest.startsWith('<task-notification>')) return !taskReportPattern.test(rest);
	if (leavingPattern.test(rest)) return true;
	const [elements = ''] = commandElementPattern.exec(rest) ?? [];
	const name = elements === '' ? bareCommandPattern.exec(rest)?.[1] : commandNamePattern.exec(elements)?.[1];
	if (name === undefined || !isClientCommand(name)) return false;
	if (argumentPattern.test(elements) && !settingPattern.test(name)) return false;
	return elements === '' || rest.slice(elements.length).replace(clientNoticePattern, '').trim() === '';
}

/** Returns the command that the user typed in Claude Code, and its name; undefined if a message has none. */
function readCommand(text: string): { name: string; line: string } | undefined {
	const name = text.trimStart().startsWith('<command-') ? commandNamePattern.exec(text)?.[1] : undefined;
	if (name === undefined) return undefined;
	return { name, line: `/${name} ${commandArgumentsPattern.exec(text)?.[1] ?? ''}`.trim() };
}

/** Returns the command for the work, with its arguments, that the user typed in Claude Code; undefined if a message has none. */
export function readTypedCommand(text: string): string | undefined {
	const command = readCommand(text);
	return command === undefined || isClientCommand(command.name) ? undefined : command.line;
}

/** Whether a request is a command without arguments, whose meaning only the agent's program knows. */
export const isBareCommand = (text: string): boolean => bareCommandPattern.test(text);

/** Returns a message that is a typed command as its user sees it: `/fix-issue 12`; undefined if it has other text. */
export function readCommandLine(text: string): string | undefined {
	const command = readCommand(text);
	const rest = command && text.replace(commandArgumentsPattern, '').replace(commandElementPattern, '');
	return rest?.trim() === '' ? command?.line : undefined;
}

/**
 * Returns the command for the work that the user typed in Claude Code, if its arguments are a request of their own; undefined
 * for other texts. Messages with shorter commands are quoted as they are.
 */
export function readCommandWithRequest(text: string): string | undefined {
	if (text.length <= tuning.lengths.maxVerbatim) return undefined;
	const line = readTypedCommand(text);
	if (line === undefined || line.length <= tuning.lengths.maxVerbatim) return undefined;
	return readCommandLine(text);
}
