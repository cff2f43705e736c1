/** Finds the git commands of a script. */

import { splitPipelines } from './commands.ts';

/** A git command: its verb, and the words after it. */
export interface GitCommand {
	verb: string;
	words: string[];
	/** The folder of the repository, if the option `-C` names it. */
	folder?: string;
}

const wrapperWordPattern = /^(?:sudo|env|command|time|\w+=.*)$/;

/** Returns the git commands at the start of a script's pipelines. */
export function listGitCommands(script: string): GitCommand[] {
	// Splitting a script takes longer than a search for the name.
	if (!/\bgit\b/.test(script)) return [];
	return splitPipelines(script).flatMap(({ commands: [first = ''] }) => parseGitCommand(first));
}

function parseGitCommand(command: string): GitCommand[] {
	const words = command.split(/\s+/);
	const start = words.findIndex((word) => !wrapperWordPattern.test(word));
	if (words[start] !== 'git') return [];
	let index = start + 1;
	let folder: string | undefined;
	while (words[index]?.startsWith('-')) {
		if (words[index] === '-C') folder = words[index + 1];
		index += /^-[cC]$/.test(words[index] ?? '') ? 2 : 1;
	}
	return [{ verb: words[index] ?? '', words: words.slice(index + 1), folder }];
}
