/**
 * Recognises output of programs in messages of users. Agents that write commands into their text, without tool calls,
 * return the output as if the user had typed it.
 */

/** Shorter messages may have been typed. UTF-16 units. */
const minObservationLength = 400;

/** How such agents begin the output. */
const wrapper = /^\s*(?:OBSERVATION:|Observation:|EXECUTION RESULT of \[|<returncode>-?\d+<\/returncode>)\s*/;
/** A line that is only a shell prompt. */
const promptLine = /^(?:\([\w.-]+\) ?)?(?:(?:bash|sh|zsh)-?[\d.]*|[\w.-]+@[\w.-]+:\S*) ?[$#%]$/;
/** Lines that some agents print before the prompt. */
const placeLine = /^\((?:Open file|Current directory): .*\)$/;
/** `273:` before a line, as file viewers print it. */
const numbered = /^\d{1,6}:(?!\d)/;

/** Returns where the prompt at the end of an output begins, with the lines that belong to it; undefined if there is none. */
function promptStart(text: string): number | undefined {
	const output = text.trimEnd();
	let start = output.lastIndexOf('\n');
	if (start < 0 || !promptLine.test(output.slice(start + 1))) return undefined;
	for (;;) {
		const before = output.slice(0, start).trimEnd();
		const line = before.lastIndexOf('\n');
		if (line < 0 || !placeLine.test(before.slice(line + 1))) return start;
		start = line;
	}
}

/** Returns the output of a program if a user's message is nothing else; undefined if a person may have typed it. */
export function observationIn(text: string): string | undefined {
	if (text.length <= minObservationLength) return undefined;
	const end = promptStart(text);
	if (end === undefined && !wrapper.test(text)) return undefined;
	return text
		.slice(0, end)
		.replace(wrapper, '')
		.split('\n')
		.map((line) => line.replace(numbered, ''))
		.join('\n');
}
