/** Judges whether a script only reads. A script that cannot be judged does not count as reading. */

import { parseScript, type ShellCommand } from './script.ts';
import { findWrappedScript, writesFile } from './shellTouches.ts';

/** Programs that change nothing, except with an option such as `--output`. */
const readingPrograms = new Set(
	'cat head tail rg grep egrep fgrep ls nl wc cut tr tac rev paste comm cmp diff fold column jq stat file du df basename dirname realpath readlink strings od md5sum sha1sum sha256sum pwd which date ps echo printf true false : cd test [ sleep exit export set unset wait'.split(
		' ',
	),
);
/** Programs that run the program among their arguments. */
const wrapperPrograms = new Set(['sudo', 'env', 'time', 'nice', 'nohup', 'command', 'timeout', 'xargs']);
/** Options, numbers, variables and placeholders before the program that a wrapper runs. */
const wrapperArgument = /^(?:-.*|[\d.]+[smhd]?|\w+=.*|\{\}|%)$/;
/** Git commands that change neither files nor the repository. */
const readingGitVerbs = new Set(
	'status diff log show blame grep ls-files ls-tree rev-parse rev-list cat-file describe shortlog merge-base'.split(
		' ',
	),
);
const outputOption = /^--output(?:=|$)/;
const shortOutputOption = /^-[a-zA-Z]*o/;
const writingFindOption = /^-(?:delete|fprint0?|fprintf|fls)$/;
const executingFindOption = /^-(?:exec|ok)(?:dir)?$/;
const inPlaceOption = /^-[nErsuz]*i|^--in-place/;
/** The command `w FILE` of sed. */
const writingSedScript = /(?:^|[\s;{}\d$/])w[ \t]+\S/;
/** Output to a file or a program in awk. At most 200 characters of a statement keep the search linear. */
const writingAwkScript = /print[^\n;}]{0,200}(?:>|\|\s?"\w)|\bsystem\s?\(/;
/** Maximum nesting of scripts and wrappers, such as `sudo bash -c "xargs cat"`. */
const maxNesting = 4;

/** Whether every command of a script only reads. Redirections to a file are changes. Linear in the script. */
export function isReadOnlyScript(script: string, depth = 0): boolean {
	const pipelines = depth > maxNesting ? undefined : parseScript(script);
	return (
		pipelines?.every(({ commands }) => commands.every((command) => isReadOnlyCommand(command, depth))) ??
		false
	);
}

function isReadOnlyCommand(command: ShellCommand, depth: number): boolean {
	if (writesFile(command) || depth > maxNesting) return false;
	const script = findWrappedScript(command);
	if (script !== undefined) return isReadOnlyScript(script, depth + 1);
	const start = command.words.findIndex(({ text }) => !/^\w+=/.test(text));
	if (start < 0) return true;
	const [program = '', ...words] = command.words.slice(start).map(({ text }) => text);
	if (words.some((word) => outputOption.test(word))) return false;
	if (readingPrograms.has(program)) return true;
	if (wrapperPrograms.has(program)) {
		const from = words.findIndex((word) => !wrapperArgument.test(word));
		const inner = { words: command.words.slice(start + 1 + from), redirections: [] };
		return from >= 0 && isReadOnlyCommand(inner, depth + 1);
	}
	switch (program) {
		case 'sort':
		case 'tree':
			return !words.some((word) => shortOutputOption.test(word));
		case 'uniq':
			// The second operand is the output.
			return words.filter((word) => word === '-' || !word.startsWith('-')).length < 2;
		case 'sed':
			return !words.some((word) => inPlaceOption.test(word) || writingSedScript.test(word));
		case 'awk':
			return !words.some((word) => word.startsWith('-i') || writingAwkScript.test(word));
		case 'find':
			return words.every(
				(word, index) =>
					!writingFindOption.test(word) &&
					(!executingFindOption.test(word) || readingPrograms.has(words[index + 1] ?? '')),
			);
		case 'git':
			return readingGitVerbs.has(findGitVerb(words));
		default:
			return false;
	}
}

/** Returns the verb of a git command, after options such as `-C FOLDER`; empty if there is none. */
function findGitVerb(words: readonly string[]): string {
	for (let index = 0; index < words.length; index++) {
		const word = words[index] ?? '';
		if (word === '-C' || word === '-c') index++;
		else if (!word.startsWith('-')) return word;
	}
	return '';
}
