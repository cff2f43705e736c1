/** Recognizes scripts inside commands that did not write the files which they name. */

import type { ToolCall } from '../../protocol/conversation.ts';
import { workLimits } from '../compact/tuning.ts';
import { findShellCommand } from './commands.ts';

/** The place of an error in a script inside a command, as Python and Node.js name it. */
const scriptErrorPattern =
	/^[ \t]{0,9}File "<(?:stdin|string)>", line \d|^\[(?:stdin|eval)\]:\d|at \[(?:stdin|eval)\]:\d/m;
/** Words with which a script tells that it left a file as it was. */
const skippedPattern =
	/\bnot found\b|\bno match(?:es)?\b|\bnothing (?:written|changed|to (?:do|change))\b|\bdry[- ]?run\b|\bwould (?:change|write|replace)\b|\brestored\b/i;
const noReplacementPattern = /^[ \t]{0,9}0 replacements?\b/im;

/** Whether a script inside a command ended with an error, or printed that it did not write. */
export function skippedWrites(call: ToolCall, output: string): boolean {
	const script = findShellCommand(call);
	if (script === undefined || !/<<|\s-\w*[ce]\s/.test(script)) return false;
	const beginning = output.slice(0, workLimits.maxLengthOf.outcome);
	if (scriptErrorPattern.test(beginning) || noReplacementPattern.test(beginning)) return true;
	const [words] = skippedPattern.exec(beginning) ?? [];
	return words !== undefined && script.toLowerCase().includes(words.toLowerCase());
}
