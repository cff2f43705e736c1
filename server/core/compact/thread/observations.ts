/**
 * Output of programs in messages of users. Agents that write their commands into their text, without calls of tools,
 * hand what the commands print back as what the user says.
 */

/** Shorter messages may have been typed. UTF-16 units. */
const minObservationLength = 400;

/** How the wrappers of such agents begin. */
const wrapper = /^\s*(?:OBSERVATION:|Observation:|EXECUTION RESULT of \[|<returncode>-?\d+<\/returncode>)\s*/;
/** A line that is nothing but the prompt of a shell. */
const promptLine = /^(?:\([\w.-]+\) ?)?(?:(?:bash|sh|zsh)-?[\d.]*|[\w.-]+@[\w.-]+:\S*) ?[$#%]$/;
/** What some agents print in the lines before it. */
const placeLine = /^\((?:Open file|Current directory): .*\)$/;
/** `273:` and the like before a line, as viewers print it. */
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

/** What a program printed, where a message of a user is nothing else; undefined where a person may have typed it. */
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
