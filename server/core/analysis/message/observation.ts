/**
 * Reads outputs as agents wrap them: in messages of the user, for agents that write commands as text instead of calling
 * tools, and with mini-SWE-agent's tags also in results.
 */

import { findExitCode } from '../text/exitCodes.ts';

/** Name of the tool in whose name an output in a user message is shown while its command is unknown. */
export const printedOutputName = 'output';

/** Shorter messages may have been typed, unless they end with a shell prompt. UTF-16 units. */
const minObservationLength = 400;

/** Prefixes of a command's output in a user message. */
export const outputWrapperPattern =
	/^\s*(?:OBSERVATION:|Observation:|EXECUTION RESULT of \[|<returncode>-?\d+<\/returncode>|\[[a-z_]{3,40}(?: for '[^'\n]{0,300}')?\] Result:)\s*/;
/** Beginnings that nobody types: the wrappers of an output, and reports on a command. */
const programOpeningPattern =
	/^\s*(?:OBSERVATION:\s*\n|EXECUTION RESULT of \[|\[[a-z_]{3,40}(?: for '[^'\n]{0,300}')?\] Result:|The last command <command>|Your (?:last )?command ran successfully and did not produce any output\.)/;
/** What mini-SWE-agent writes around an output: perhaps an exception, then the return code. */
const returnFramePattern =
	/^\s*(?:<exception>([\s\S]{0,4000}?)<\/exception>\s*)?<returncode>(-?\d{1,9})<\/returncode>\s*/;
/** Its report that a command ran too long, within the exception. */
const timedOutPattern = /timed out after [\d.]{1,9} seconds/;
/** Tags around an output below its return code, also of an output with its middle left out. */
const outputTagPattern = /^<(?:output|output_head)>\n?|\n?<\/(?:output|output_tail)>\s*$/g;
/** The tags that replace the middle of a long output, and the advice above it. */
const elisionPattern =
	/^<warning>\n[^<]{0,1000}<\/warning>\s{0,9}|\n?<\/output_head>\s{0,9}<elided_chars>([^<]{0,100})<\/elided_chars>\s{0,9}<output_tail>\n?/g;
/** What mini-SWE-agent writes before and after the output of a command that ran too long. */
const timeoutFrame = {
	end: /<\/command>\s{1,9}timed out and has been killed\./,
	advice: 'Please try another command',
};

/** A line that is only a shell prompt. */
const promptLinePattern = /^(?:\([\w.-]+\) ?)?(?:(?:bash|sh|zsh)-?[\d.]*|[\w.-]+@[\w.-]+:\S*) ?[$#%]$/;
/** Lines that some agents print before the prompt. */
const locationLinePattern = /^\((?:Open file|Current directory): .*\)$/;
/** `273:` before a line, as file viewers print it. */
const viewerNumberPattern = /^\d{1,6}:(?!\d)/;

/** Returns where the shell prompt at an output's end begins, with the lines above it that belong to it; else undefined. */
function findPromptStart(text: string): number | undefined {
	const output = text.trimEnd();
	let start = output.lastIndexOf('\n');
	if (start < 0 || !promptLinePattern.test(output.slice(start + 1))) return undefined;
	for (;;) {
		const before = output.slice(0, start).trimEnd();
		const line = before.lastIndexOf('\n');
		if (line < 0 || !locationLinePattern.test(before.slice(line + 1))) return start;
		start = line;
	}
}

/** Whether an agent printed the open file or the folder above the prompt that begins at `promptStart`. */
function hasLocation(text: string, promptStart: number | undefined): boolean {
	return promptStart !== undefined && text.slice(promptStart).trim().includes('\n');
}

/** Whether a typed message is long and ends with an agent's prompt, as a task for an agent that writes commands as text. */
export function isTaskWithPrompt(text: string): boolean {
	return text.length > minObservationLength && hasLocation(text, findPromptStart(text));
}

/** The parts of the output of a command that the user ran in Claude Code with `!`, and the end of such a message. */
const ownOutputTagPattern = /<\/?bash-std(?:out|err)>/g;
const ownOutputEndPattern = /<\/bash-std(?:out|err)>$/;

function findOwnOutput(text: string): string | undefined {
	const message = text.trim();
	if (!message.startsWith('<bash-stdout>') || !ownOutputEndPattern.test(message)) return undefined;
	return message.replace(ownOutputTagPattern, '\n').trim();
}

/** Returns the output of a program if a user message contains nothing else; undefined if it may have been typed. */
export function findObservation(text: string): string | undefined {
	const ownOutput = findOwnOutput(text);
	if (ownOutput !== undefined) return ownOutput;
	const end = findPromptStart(text);
	const isProgram = programOpeningPattern.test(text) || returnFramePattern.test(text);
	if (end === undefined && !isProgram && !outputWrapperPattern.test(text)) return undefined;
	if (!isProgram && text.length <= minObservationLength && !hasLocation(text, end)) return undefined;
	return unwrapReturnCode(readTimeout(text.slice(0, end)))
		.replace(outputWrapperPattern, '')
		.split('\n')
		.map((line) => line.replace(viewerNumberPattern, ''))
		.join('\n');
}

/** Returns the output of a command, below its exit code if the command failed, without mini-SWE-agent's tags; any other text unchanged. */
export function unwrapReturnCode(text: string): string {
	const [frame, exception, code] = returnFramePattern.exec(text) ?? [];
	if (frame === undefined) return text;
	const output = text
		.slice(frame.length)
		.replace(elisionPattern, (_, elided?: string) => (elided === undefined ? '' : `\n[${elided.trim()}]\n`))
		.replace(outputTagPattern, '');
	const [timeout] = timedOutPattern.exec(exception ?? '') ?? [];
	const report = timeout === undefined ? exception : `Command ${timeout}.`;
	const shown = report === undefined ? output : `${report}\n${output}`;
	// An output may state the exit code of another program.
	const isSuccess = code === '0' && !findExitCode(shown);
	return isSuccess ? shown : `Exit code ${code}\n${shown}`;
}

/** Returns the output of a command that ran too long, without the command and advice around it; any other text unchanged. */
function readTimeout(text: string): string {
	const { end, advice } = timeoutFrame;
	const report = text.trimStart().startsWith('The last command <command>') ? end.exec(text) : null;
	if (report === null) return text;
	const outputStart = report.index + report[0].length;
	const adviceStart = text.lastIndexOf(advice);
	const output = text
		.slice(outputStart, adviceStart < outputStart ? undefined : adviceStart)
		.replace(/^\s*The output of the command was:\s*/, '')
		.trim()
		.replace(outputTagPattern, '');
	return `Exit code 124\nCommand timed out and has been killed.\n${output}`.trimEnd();
}
