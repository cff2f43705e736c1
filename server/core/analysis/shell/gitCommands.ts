/** Finds the git commands of a script. */

import { skipGitOptions } from '../../files/touches/shell/fileChanges.ts';
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
	const {
		words: [verb = '', ...rest],
		folder,
	} = skipGitOptions(words.slice(start + 1));
	return [{ verb, words: rest, folder }];
}

/** What names a commit, and no file: `HEAD~2`, `origin/main`, a hash. */
const commitNamePattern = /^(?:(?:HEAD|@)[~^@{]|ORIG_HEAD$|(?:origin|upstream)\/|[0-9a-f]{7,40}$)/;
/** A reset to a commit that is counted from the newest one. */
const countedTargetPattern = /^(?:HEAD|@)(?:~(\d{0,3})|(\^{1,9}))$/;
const resetModePattern = /^--(?:soft|hard|mixed|keep|merge)$/;

/**
 * Returns the number of newest commits that a successful command takes off the branch or replaces by others; infinite if it
 * is not known. A rebase or a reset to a named commit may replace any.
 */
export function countReplacedCommits({ verb, words }: GitCommand): number {
	if (verb === 'rebase')
		return words.some((word) => /^--(?:abort|quit|edit-todo|show-current-patch)$/.test(word)) ? 0 : Infinity;
	if (verb === 'filter-branch' || verb === 'filter-repo') return Infinity;
	const [target, ...others] = words.filter((word) => !word.startsWith('-'));
	if (verb !== 'reset' || target === undefined || others.length > 0 || words.includes('--')) return 0;
	const [counted, number, carets] = countedTargetPattern.exec(target) ?? [];
	if (counted !== undefined) return carets?.length ?? Number(number || 1);
	// Without a mode, the target may be a file to unstage.
	const isCommit = commitNamePattern.test(target) || words.some((word) => resetModePattern.test(word));
	return isCommit && target !== 'HEAD' && target !== '@' ? Infinity : 0;
}
