/** Recognizes lines of inline scripts that only read a file, look for the text to replace, and write the file. */

import type { ToolCall } from '../../../protocol/conversation.ts';
import { findShellCommand } from './commands.ts';

const replacingPattern = /\.replace(?:All)?\(|\bre\.subn?\(/;
const writingPattern = /\bwrite(?:_text|FileSync)?\(/;
/** The path, the read, the old text, the check for it, the error if it is missing, and the write, in Python or JavaScript. */
const stepPattern =
	/^\s{0,12}(?:(?:const |let |var )?\w{1,30} = (?:(?:pathlib\.)?Path\(|open\([^()\n]{1,200}\)\.read|\w{1,30}\.read_text\(|(?:fs\.)?readFileSync\(|require\()|(?:const |let |var )?\w{0,30}(?:[nN]eedle|[oO]ld|insertAfter|anchor)\w{0,20} = ['"`]|if (?:not )?\w{1,40} (?:not )?in \w{1,30}:$|if \(!?\w{1,30}\.includes\(\w{1,40}\)\)|assert \w{1,40} in \w{1,30}\b|(?:raise|throw new)\b[^\n]{0,60}\b(?:missing|not found|no match|needle|anchor)\b|\w{1,30}\.write(?:_text)?\(|open\([^()\n]{1,120}\)\.write\(|fs\.writeFileSync\(|\w{1,30} = \w{1,30}\.replace\([\w$]{1,40}, ?[\w$]{1,40}(?:, ?\d)?\);?$|(?:PY|EOF|NODE|JS|END)$)/;

/** Whether all lines of a segment are such steps of a call's script. What the script adds to the file is in other lines. */
export function isEditStep(segment: string, calls: readonly ToolCall[]): boolean {
	const isStep = segment.split('\n').every((line) => line.trim() === '' || stepPattern.test(line));
	return isStep && calls.some(replacesText);
}

function replacesText(call: ToolCall): boolean {
	const command = findShellCommand(call) ?? '';
	return command.includes('<<') && replacingPattern.test(command) && writingPattern.test(command);
}
