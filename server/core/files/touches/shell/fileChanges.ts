/** Finds the changes of files that commands make besides writes: moves, replaced words, and git's undo commands. */

import { placeInFolder, resolvePath } from '../path.ts';
import type { ShellCommand } from './script.ts';
import { type ShellWord, tokenizeShell } from './tokens.ts';

/** A change of files. Paths are as the command names them until they are resolved. */
export type ShellFileChange =
	| { type: 'moved'; path: string; to: string }
	/** Lines containing these words, or consisting of them, were changed; the path may contain a `*`. */
	| { type: 'replaced'; path: string; words: string; isLine?: boolean }
	/** The whole file got a new text: that of another file, or a text that only the call may contain. */
	| { type: 'rewritten'; path: string; from?: string }
	/** Git restored a file to the last commit, or stashed its changes; without a path, all changed files. */
	| { type: 'restored' | 'stashed'; path?: string; includesNewFiles?: boolean }
	/** Git removed files that were never committed; without a path, all of them. */
	| { type: 'cleaned'; path?: string }
	/** Git will include the present changes in the next commit, or will not; without a path, all of them. */
	| { type: 'staged' | 'unstaged'; path?: string }
	/** Git committed changes. The command itself does not tell the commit's hash. */
	| { type: 'committed'; hash?: string }
	/** Git took the last commit back, and kept its changes. */
	| { type: 'uncommitted' }
	/** Git printed all uncommitted files. */
	| { type: 'listed' }
	/** Git applied the stashed changes again. */
	| { type: 'unstashed' }
	/** Git removed the stashed changes for good. */
	| { type: 'dropped' }
	/** Git reverted the commit with this hash, or the last one. */
	| { type: 'reverted'; hash?: string };

/** Whether a change concerns the files themselves, not only what git includes in commits. */
export function affectsFiles({ type }: ShellFileChange): boolean {
	return !/^(?:committed|uncommitted|staged|unstaged|listed)$/.test(type);
}

/** Returns the changes of files that a command's words reveal. */
export function findFileChanges({ words }: ShellCommand): ShellFileChange[] {
	const [name, ...rest] = words.map(({ text }) => text);
	if (name === 'sudo') return findFileChanges({ words: words.slice(1), redirections: [] });
	const operands = rest.filter((word) => !word.startsWith('-'));
	switch (name) {
		case 'mv':
			return parseMove(operands);
		case 'sed':
		case 'perl':
			return parseReplacements(rest);
		case 'xargs':
		case 'find': {
			// The files are unknown: another command lists them, or the folder contains them.
			const start = rest.findIndex((word) => word === 'sed' || word === 'perl');
			return start < 0 ? [] : parseReplacements(rest.slice(start + 1), '*');
		}
		case 'git':
			return parseGitWords(rest);
		default:
			return [];
	}
}

/** Returns the words after git's own options, and the folder that the option `-C` names. `words` follow `git`. */
export function skipGitOptions(words: readonly string[]): { words: string[]; folder?: string } {
	let index = 0;
	let folder: string | undefined;
	while (words[index]?.startsWith('-')) {
		if (words[index] === '-C') folder = words[index + 1];
		index += /^-[cC]$/.test(words[index] ?? '') ? 2 : 1;
	}
	return { words: words.slice(index), folder };
}

/** Returns the changes by a git command, whose paths are in the folder that the option `-C` names. */
function parseGitWords(allWords: readonly string[]): ShellFileChange[] {
	const {
		words: [verb = '', ...words],
		folder = '',
	} = skipGitOptions(allWords);
	const changes = parseGitCommand(verb, words);
	if (/^(?:\.\/?)?$/.test(folder)) return changes;
	const place = (path: string): string => resolvePath(folder, path);
	return changes.map((change) =>
		change.type === 'moved'
			? { ...change, path: place(change.path), to: place(change.to) }
			: 'path' in change && change.path !== undefined
				? { ...change, path: place(change.path) }
				: change,
	);
}

/** Words before a command in a loop or a condition. */
const blockWords = new Set(['do', 'then', 'else', 'if', 'while', 'until', '!', '{']);

/** Returns the replacements of words by the commands in a script's loops and conditions. */
export function findReplacementsInBlocks(script: string): ShellFileChange[] {
	const commands: ShellWord[][] = [[]];
	for (const token of tokenizeShell(script) ?? []) {
		if (token.t === 'operator') commands.push([]);
		else if (token.t === 'word') commands.at(-1)?.push(token);
	}
	return commands.flatMap((all) => {
		const words = all.slice(
			Math.max(
				0,
				all.findIndex(({ text }) => !blockWords.has(text)),
			),
		);
		if (!/^(?:sed|perl)$/.test(words[0]?.text ?? '')) return [];
		const isKnown = words.every((word) => word.isKnown);
		return parseReplacements(
			words.slice(1).map(({ text }) => text),
			isKnown ? undefined : '*',
		);
	});
}

function parseMove(operands: readonly string[]): (ShellFileChange & { type: 'moved' })[] {
	const to = operands.at(-1) ?? '';
	const paths = operands.slice(0, -1);
	return paths.map((path) => {
		const isFolder = paths.length > 1 || to.endsWith('/') || (/\.\w+$/.test(path) && !/\.\w+$/.test(to));
		return { type: 'moved', path, to: isFolder ? placeInFolder(to, path) : to };
	});
}

/** Returns the changes by a `sed -i` or `perl -pi -e` command that replaces or deletes lines with certain words. */
function parseReplacements(words: readonly string[], unknownPaths?: string): ShellFileChange[] {
	if (!words.some((word) => /^-[a-zA-Z]*i|^--in-place/.test(word))) return [];
	const operands = words.filter((word) => word !== '' && !word.startsWith('-'));
	const scripts = operands.filter((word, index) => index === 0 || words[words.indexOf(word) - 1] === '-e');
	const paths =
		unknownPaths === undefined ? operands.filter((word) => !scripts.includes(word)) : [unknownPaths];
	return scripts.flatMap((script) =>
		findLiteralWords(script).flatMap((replacedWords) =>
			paths.map((path): ShellFileChange => ({ type: 'replaced', path, words: replacedWords })),
		),
	);
}

/** A substitution, perhaps of numbered lines only: `12,40s/old/new/`. */
const substitutionPattern =
	/(?:^|[;\n])[ \t]*(?:\d{1,6}(?:,(?:\d{1,6}|\$))?)?s([/#|,@!])((?:\\.|(?!\1)[^\\\n])+)\1/g;
const deletionPattern = /^\/((?:\\.|[^\\/\n])+)\/d$/;

/** Minimum length of the literal part of a pattern that identifies lines. UTF-16 units. */
const minLiteralLength = 5;
/** Parts of a regular expression that are not literal: escapes, sets, groups and repetitions. */
const variablePartPattern = /\\[\w(){}|+?<>]|(?<!\\)(?:\[[^\]]{0,100}\]|[.*+?(){}|^$])/;

/** Returns the words that a script searches for: of each pattern, all if it is literal, or else its longest literal part. */
export function findLiteralWords(script: string): string[] {
	const patterns = [...script.matchAll(substitutionPattern)].map(([, , pattern = '']) => pattern);
	const deletedPattern = deletionPattern.exec(script)?.[1];
	return [...patterns, ...(deletedPattern === undefined ? [] : [deletedPattern])].flatMap((pattern) => {
		const unanchored = pattern.replace(/^\^|\$$/g, '');
		if (!/\\[\w(){}|+?<>]|(?<!\\)[*[\]^$]/.test(unanchored))
			return unanchored.replace(/\\(.)/g, '$1').trim() || [];
		const literals = unanchored.split(variablePartPattern).map((part) => part.replace(/\\(.)/g, '$1').trim());
		const longest = literals.reduce((a, b) => (b.length > a.length ? b : a), '');
		return longest.length < minLiteralLength ? [] : longest;
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
		case 'mv': {
			const moves = parseMove(operands);
			return [...moves, ...moves.map(({ to }): ShellFileChange => ({ type: 'staged', path: to }))];
		}
		case 'add':
			return stagePaths(operands);
		case 'commit':
			return words.some((word) => /^-(?!-)\w*a|^--all$/.test(word))
				? [{ type: 'staged' }, { type: 'committed' }]
				: [{ type: 'committed' }];
		case 'rebase':
		case 'merge':
		case 'cherry-pick':
			if (words.includes('--abort')) return [{ type: 'restored' }];
			return words.includes('--continue') ? [{ type: 'committed' }] : [];
		case 'status':
			return operands.length > 0 || words.some((word) => /^(?:-uno|-z|--.*(?:=no|v2))$/.test(word))
				? []
				: [{ type: 'listed' }];
		case 'checkout':
		case 'switch':
			if (words.some((word) => /^(?:-f|--force|--discard-changes)$/.test(word)))
				return [{ type: 'restored' }];
			if (/^stash@/.test(operands[0] ?? '')) return [{ type: 'unstashed' }];
			return verb === 'switch' || words.includes('-b') ? [] : changePaths('restored', paths);
		case 'clean': {
			const isOption = (pattern: RegExp): boolean => words.some((word) => pattern.test(word));
			if (!isOption(/^(?:-\w*f|--force$)/) || isOption(/^(?:-\w*n|--dry-run$)/)) return [];
			return paths.length === 0 ? [{ type: 'cleaned' }] : paths.map((path) => ({ type: 'cleaned', path }));
		}
		case 'restore':
			if (words.includes('--staged') && !words.includes('--worktree'))
				return changePaths('unstaged', operands);
			return changePaths('restored', operands);
		case 'stash':
			if (/^(?:pop|apply|branch)$/.test(operands[0] ?? '')) return [{ type: 'unstashed' }];
			if (/^(?:drop|clear)$/.test(operands[0] ?? '')) return [{ type: 'dropped' }];
			if (!/^(?:|push|save)$/.test(operands[0] ?? '')) return [];
			if (paths.length > 0) return changePaths('stashed', paths);
			return words.some((word) => /^(?:-[ua]|--include-untracked|--all)$/.test(word))
				? [{ type: 'stashed', includesNewFiles: true }]
				: [{ type: 'stashed' }];
		case 'reset':
			if (!words.includes('--hard') && /^(?:HEAD|@)(?:~1?|\^)$/.test(operands[0] ?? ''))
				return [{ type: 'uncommitted' }];
			if (words.includes('--soft')) return [];
			if (!words.includes('--hard')) {
				const isWhole = operands.every((word) => /^(?:HEAD|@)/.test(word));
				return isWhole ? [{ type: 'unstaged' }] : changePaths('unstaged', paths);
			}
			return /^(?:HEAD(?:~1?|\^)|@~1?)$/.test(operands[0] ?? '')
				? [{ type: 'restored' }, { type: 'reverted' }]
				: [{ type: 'restored' }];
		case 'revert':
			// A revert that is not committed may only be a trial.
			if (words.some((word) => /^(?:-n|--no-commit)$/.test(word))) return [];
			if (operands[0] === 'HEAD') return [{ type: 'reverted' }];
			return operands
				.filter((word) => /^[0-9a-f]{7,40}$/.test(word))
				.map((hash): ShellFileChange => ({ type: 'reverted', hash }));
		default:
			return [];
	}
}

/** Returns the changes that `git add` stages: all, if it is not known which. */
function stagePaths(paths: readonly string[]): ShellFileChange[] {
	const areKnown = paths.length > 0 && !paths.some((path) => /[*?[\]{}$`]/.test(path));
	return areKnown ? changePaths('staged', paths) : [{ type: 'staged' }];
}

/** Returns a change of each path; of all files for a path that names the whole working tree. */
function changePaths(
	type: 'restored' | 'staged' | 'stashed' | 'unstaged',
	paths: readonly string[],
): ShellFileChange[] {
	return paths.map((path) => (/^(?:\.\/?|:\/|\*)$/.test(path) ? { type } : { type, path }));
}
