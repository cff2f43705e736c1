/** Judges whether a script only reads. A script that cannot be judged does not count as reading. */

import { parseScript, type ShellCommand } from './script.ts';
import { findWrappedScript, isWrite } from './shellTouches.ts';

/** Programs that change nothing, except with an option such as `--output`. */
const readingPrograms = new Set(
	'cat head tail rg grep egrep fgrep ls nl wc cut tr tac rev paste comm cmp diff fold column jq stat file du df basename dirname realpath readlink strings od md5sum sha1sum sha256sum pwd which date ps echo printf true false : cd test [ sleep exit export set unset wait'.split(
		' ',
	),
);
/** Programs that run the program among their arguments. */
const wrapperPrograms = new Set(['sudo', 'env', 'time', 'nice', 'nohup', 'command', 'timeout', 'xargs']);
/** Matches an option, number, variable or placeholder before the program that a wrapper runs. */
const wrapperArgumentPattern = /^(?:-.*|[\d.]+[smhd]?|\w+=.*|\{\}|%)$/;
/** Git commands that change neither files nor the repository. */
const readingGitVerbs = new Set(
	'status diff log show blame grep ls-files ls-tree rev-parse rev-list cat-file describe shortlog merge-base'.split(
		' ',
	),
);
/** Matches options of any program that name an output file or a program to run. */
const effectOptionPattern =
	/^(?:--(?:output|pre|hostname-bin|compress-program|open-files-in-pager|ext-diff)(?:=|$)|-O)/;
const shortOutputOptionPattern = /^-[a-zA-Z]*o/;
const writingFindOptionPattern = /^-(?:delete|fprint0?|fprintf|fls)$/;
const executingFindOptionPattern = /^-(?:exec|ok)(?:dir)?$/;
/** Matches options of sed and awk that change files in place, or that precede the script, its file or a value. */
const scriptOptionPattern = /^-(?:[a-zA-Z]*[efilv]|-(?:in-place|file|include|load|expression))/;
/** Matches a sed script that only prints, deletes and replaces lines of its output. */
const readingSedPattern =
	/^(?:[\d$,+~!;{}pdq=\s]|\/(?:\\.|[^\\/\n])*\/|s\/(?:\\.|[^\\/\n])*\/(?:\\.|[^\\/\n])*\/g?)*$/;
/** Matches anything in an awk script that may write a file or run a program. Also matches comparisons with `>`. */
const writingAwkPattern = /[|>@]|\bsystem\b/;
/** Maximum nesting of scripts and wrappers, such as `sudo bash -c "xargs cat"`. */
const maxNesting = 4;

/** Whether every command of a script only reads. False if a script substitutes commands or redirects to files. Linear. */
export function isReadOnlyScript(script: string, depth = 0): boolean {
	if (/\$\(|`/.test(script)) return false;
	const pipelines = depth > maxNesting ? undefined : parseScript(script);
	return (
		pipelines?.every(({ commands }) => commands.every((command) => isReadOnlyCommand(command, depth))) ??
		false
	);
}

function isReadOnlyCommand(command: ShellCommand, depth: number): boolean {
	if (command.redirections.some(isWrite) || depth > maxNesting) return false;
	const script = findWrappedScript(command);
	if (script !== undefined) return isReadOnlyScript(script, depth + 1);
	const start = command.words.findIndex(({ text }) => !/^\w+=/.test(text));
	if (start < 0) return true;
	const [program = '', ...words] = command.words.slice(start).map(({ text }) => text);
	if (words.some((word) => effectOptionPattern.test(word))) return false;
	if (readingPrograms.has(program)) return true;
	if (wrapperPrograms.has(program)) {
		const from = words.findIndex((word) => !wrapperArgumentPattern.test(word));
		const inner = { words: command.words.slice(start + 1 + from), redirections: [] };
		return from >= 0 && isReadOnlyCommand(inner, depth + 1);
	}
	switch (program) {
		case 'sort':
		case 'tree':
			return !words.some((word) => shortOutputOptionPattern.test(word));
		case 'uniq':
			// A second operand is the output file.
			return words.filter((word) => word === '-' || !word.startsWith('-')).length < 2;
		case 'sed':
		case 'awk': {
			const code = command.words.slice(start + 1).find(({ text }) => !text.startsWith('-'));
			if (!code?.isKnown || words.some((word) => scriptOptionPattern.test(word))) return false;
			return program === 'sed' ? readingSedPattern.test(code.text) : !writingAwkPattern.test(code.text);
		}
		case 'find':
			return words.every(
				(word, index) =>
					!writingFindOptionPattern.test(word) &&
					(!executingFindOptionPattern.test(word) || readingPrograms.has(words[index + 1] ?? '')),
			);
		case 'git':
			return readingGitVerbs.has(findGitVerb(words));
		default:
			return false;
	}
}

/** Returns the verb of a git command, after options such as `-C FOLDER`; empty if there is none or `-c` is an option. */
function findGitVerb(words: readonly string[]): string {
	for (let index = 0; index < words.length; index++) {
		const word = words[index] ?? '';
		if (word === '-c') return '';
		if (word === '-C') index++;
		else if (!word.startsWith('-')) return word;
	}
	return '';
}
