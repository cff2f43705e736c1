/**
 * Output of programs in messages of users. Agents that write their commands into their text, without calls of tools,
 * hand what the commands print back as what the user says.
 */

import { shortestObservation } from './tuning.ts';

/** How the wrappers of such agents begin. */
const wrapper = /^\s*(?:OBSERVATION:|Observation:|EXECUTION RESULT of \[|<returncode>-?\d+<\/returncode>)\s*/;
/** The prompt of a shell, with what some agents print before it, at the end of an output. */
const prompt =
	/\n(?:\((?:Open file|Current directory): [^\n]*\)\s*\n)*(?:\([\w.-]+\) ?)?(?:(?:bash|sh|zsh)-?[\d.]*|[\w.-]+@[\w.-]+:\S*) ?[$#%]\s*$/;
/** `273:` and the like before a line, as viewers print it. */
const numbered = /^\d{1,6}:(?!\d)/;

/** What a program printed, where a message of a user is nothing else; undefined where a person may have typed it. */
export function observationIn(text: string): string | undefined {
	if (text.length <= shortestObservation || !(wrapper.test(text) || prompt.test(text))) return undefined;
	return text
		.replace(wrapper, '')
		.replace(prompt, '')
		.split('\n')
		.map((line) => line.replace(numbered, ''))
		.join('\n');
}
