/** Reads messages that a client made from a command's template, with the words that the user added in a block at its start. */

import type { Source } from './source.ts';
import { readTypedCommand } from './typedCommands.ts';

/** The start of such a template, up to the block's end. The user's words may contain blocks of code. */
const templatePattern =
	/^\s{0,9}(?:---\r?\n[^`]{0,400}?\n---\s{1,9})?#{1,6} user input[ \t]{0,9}\r?\n\s{0,9}```[a-z]{0,10}[ \t]{0,9}\r?\n([\s\S]{0,20000}?)```\s{1,9}(?=You \*\*MUST\*\* consider|#{1,6} )/i;
/** The sentence that refers the agent to the block. */
const referencePattern = /^You \*\*MUST\*\* consider [^\n]{0,200}\n/i;
/** The line of a template that says what the command does; below, the title of its step that does the work. */
const goalPattern = /^(?:goal:[ \t]{0,9}|#{1,6} goal[ \t]{0,9}\r?\n\s{0,9})(?=[^\s#])([^\n]{1,400})/im;
const workPattern = /^\d{1,2}\.[ \t]{1,9}(?:\*\*)?(Execute [^\n:*]{1,400})/m;

/** The parts of a message that was made from a command's template. */
export interface ExpandedCommand {
	/** The words that the user added to the command; empty if there are none. */
	input: string;
	/** The template without the block. */
	template: string;
}

/** Returns the parts of a message that was made from a command's template; undefined for other messages. */
export function readExpandedCommand(text: string): ExpandedCommand | undefined {
	const match = templatePattern.exec(text);
	if (match === null) return undefined;
	const [head, words = ''] = match;
	const input = words.trim();
	return {
		input: input.startsWith('$') ? '' : input,
		template: text.slice(head.length).replace(referencePattern, '').trim(),
	};
}

/** Returns what a command's template says that the command does; the whole template if no line says it. */
export function findTemplateGoal(template: string): string {
	const [, goal = template] = goalPattern.exec(template) ?? workPattern.exec(template) ?? [];
	return goal;
}

/** A tool that loads the instructions of a command, which follow its result. */
const loadingToolPattern = /^skill$/i;

/**
 * Returns the parts of a message that was made from a command's template: of a typed message, or of one that an agent's program
 * inserted behind a command of the user or behind a call that loads instructions. Undefined for other messages.
 * @param before the message before the source
 */
export function findCommand(source: Source, before: Source | undefined): ExpandedCommand | undefined {
	if (source.role !== 'user' || source.isRecap) return undefined;
	if (!source.isInjected) return readExpandedCommand(source.text);
	if (readTypedCommand(source.text) !== undefined || before === undefined) return undefined;
	const isLoaded =
		before.role === 'user'
			? readTypedCommand(before.text) !== undefined
			: before.role === 'tool' && loadingToolPattern.test(before.toolName ?? '');
	return isLoaded ? { input: '', template: source.text } : undefined;
}
