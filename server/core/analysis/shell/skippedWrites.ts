/** Recognizes scripts inside commands that did not write the files which they name. */

import type { ToolCall } from '../../../protocol/conversation.ts';
import { workLimits } from '../../compact/tuning.ts';
import type { FileAccess } from '../../files/findTouches.ts';
import { findInlineWrites, getInlineCode } from '../../files/touches/shell/inlineScripts.ts';
import { parseScript } from '../../files/touches/shell/script.ts';
import { findShellCommand } from './commands.ts';

/** The place of an error in a script inside a command, as Python and Node.js name it. */
const scriptErrorPattern =
	/^[ \t]{0,9}File "<(?:stdin|string)>", line \d|^\[(?:stdin|eval)\]:\d|at \[(?:stdin|eval)\]:\d/m;
/** Words with which a script tells that it left a file as it was. */
const skippedPattern =
	/\bnot found\b|\bno match(?:es)?\b|\bnothing (?:written|changed|to (?:do|change))\b|\bdry[- ]?run\b|\bwould (?:change|write|replace)\b|\brestored\b|^[ \t]{0,9}0 replacements?\b/gim;

/**
 * Whether all files that a call edits are those of scripts inside its command, which ended with an error or printed that they
 * wrote nothing.
 */
export function skippedWrites(call: ToolCall, { touches }: FileAccess, output: string): boolean {
	const edited = new Set(touches.flatMap(({ kind, path }) => (kind === 'edit' ? [path] : [])));
	const command = edited.size === 0 ? undefined : findShellCommand(call);
	if (command === undefined || command.length > workLimits.maxLengthOf.command) return false;
	const beginning = output.slice(0, workLimits.maxLengthOf.outcome);
	const hasError = scriptErrorPattern.test(beginning);
	const words = (beginning.match(skippedPattern) ?? []).map((one) => one.trim().toLowerCase());
	if (words.length === 0 && !hasError) return false;
	const commands = parseScript(command)?.flatMap((pipeline) => pipeline.commands) ?? [];
	const scripts = commands.flatMap((one) => {
		const { paths } = findInlineWrites(one);
		return paths.length === 0 ? [] : [{ paths, code: (getInlineCode(one) ?? '').toLowerCase() }];
	});
	const written = new Set(scripts.flatMap(({ paths }) => paths));
	if (scripts.length === 0 || edited.size > written.size) return false;
	if (scripts.length === 1 && hasError) return true;
	return scripts.every(({ code }) => words.some((word) => code.includes(word.replace(/^0 /, ''))));
}
