/** Finds the changes of files that commands make besides writes: moves, replaced words, and git's undo commands. */

import type { ShellCommand } from './script.ts';

/** A change of files. Paths are as the command names them until they are resolved. */
export type ShellFileChange =
	| { type: 'moved'; path: string; to: string }
	/** Lines containing these words were changed; the path may contain a `*`. */
	| { type: 'replaced'; path: string; words: string }
	/** Git restored a file to the last commit, or stashed its changes; without a path, all changed files. */
	| { type: 'restored' | 'stashed'; path?: string }
	| { type: 'committed' }
	/** Git applied the stashed changes again. */
	| { type: 'unstashed' }
	/** Git reverted the last commit. */
	| { type: 'reverted' };

/** Returns the changes of files that a command's words reveal. */
export function findFileChanges({ words }: ShellCommand): ShellFileChange[] {
	const [name, ...rest] = words.map(({ text }) => text);
	if (name === 'sudo') return findFileChanges({ words: words.slice(1), redirections: [] });
	const operands = rest.filter((word) => !word.startsWith('-'));
	if (name === 'mv') return parseMove(operands);
	if (name === 'sed' || name === 'perl') return parseReplacements(rest);
	return name === 'git'
		? parseGitCommand(operands[0] ?? '', rest.slice(rest.indexOf(operands[0] ?? '') + 1))
		: [];
}

function parseMove(operands: readonly string[]): ShellFileChange[] {
	const [path = '', to = ''] = operands;
	if (operands.length !== 2) return [];
	const isFolder = to.endsWith('/') || (/\.\w+$/.test(path) && !/\.\w+$/.test(to));
	const name = path.slice(path.lastIndexOf('/') + 1);
	return [{ type: 'moved', path, to: isFolder ? `${to.replace(/\/$/, '')}/${name}` : to }];
}

/** Returns the changes by a `sed -i` or `perl -pi -e` command that replaces or deletes lines with certain words. */
function parseReplacements(words: readonly string[]): ShellFileChange[] {
	if (!words.some((word) => /^-[a-zA-Z]*i|^--in-place/.test(word))) return [];
	const operands = words.filter((word) => word !== '' && !word.startsWith('-'));
	const scripts = operands.filter((word, index) => index === 0 || words[words.indexOf(word) - 1] === '-e');
	const paths = operands.filter((word) => !scripts.includes(word));
	return scripts.flatMap((script) =>
		findLiteralWords(script).flatMap((replacedWords) =>
			paths.map((path): ShellFileChange => ({ type: 'replaced', path, words: replacedWords })),
		),
	);
}

const substitutionPattern = /(?:^|[;\n])[ \t]*s([/#|,@!])((?:\\.|(?!\1)[^\\\n])+)\1/g;
const deletionPattern = /^\/((?:\\.|[^\\/\n])+)\/d$/;

/** Returns the words that a script searches for, if its patterns are literal; other patterns are too ambiguous. */
function findLiteralWords(script: string): string[] {
	const patterns = [...script.matchAll(substitutionPattern)].map(([, , pattern = '']) => pattern);
	const deletedPattern = deletionPattern.exec(script)?.[1];
	return [...patterns, ...(deletedPattern === undefined ? [] : [deletedPattern])].flatMap((pattern) => {
		const unanchored = pattern.replace(/^\^|\$$/g, '');
		if (/\\[\w(){}|+?<>]|(?<!\\)[*[\]^$]/.test(unanchored)) return [];
		return unanchored.replace(/\\(.)/g, '$1').trim() || [];
	});
}

function parseGitCommand(verb: string, words: readonly string[]): ShellFileChange[] {
	const separatorIndex = words.indexOf('--');
	const operands = words.filter((word) => !word.startsWith('-'));
	const paths =
		separatorIndex < 0
			? operands.filter((word) => /\.\w+$|^\.\/?$|\/$/.test(word))
			: words.slice(separatorIndex + 1);
	switch (verb) {
		case 'mv':
			return parseMove(operands);
		case 'commit':
			return [{ type: 'committed' }];
		case 'checkout':
			return words.includes('-b') ? [] : restorePaths(paths);
		case 'restore':
			if (words.includes('--staged') && !words.includes('--worktree')) return [];
			return restorePaths(operands);
		case 'stash':
			if (/^(?:pop|apply)$/.test(operands[0] ?? '')) return [{ type: 'unstashed' }];
			return /^(?:|push|save)$/.test(operands[0] ?? '') ? [{ type: 'stashed' }] : [];
		case 'reset':
			if (!words.includes('--hard')) return [];
			return /^(?:HEAD(?:~1?|\^)|@~1?)$/.test(operands[0] ?? '')
				? [{ type: 'restored' }, { type: 'reverted' }]
				: [{ type: 'restored' }];
		case 'revert':
			return operands[0] === 'HEAD' ? [{ type: 'reverted' }] : [];
		default:
			return [];
	}
}

function restorePaths(paths: readonly string[]): ShellFileChange[] {
	const isWholeTree = (path: string): boolean => /^(?:\.\/?|:\/|\*)$/.test(path);
	return paths.map((path) => (isWholeTree(path) ? { type: 'restored' } : { type: 'restored', path }));
}
