/** Reads the uncommitted files that `git status` lists. */

import { getFileName, isInGeneratedFolder } from '../../files/paths.ts';
import type { CallOutcome } from '../message/callOutcome.ts';
import type { Source } from '../message/source.ts';
import type { TouchedFile, TouchedFiles } from './fileCalls.ts';

/** The uncommitted files of a repository. */
export interface UncommittedFiles {
	/** Paths of changed files, as git lists them: relative to the folder of the command or of the repository. */
	changed: string[];
	/** Paths of files that are not in the repository. */
	untracked: string[];
	/** The result of `git status`. */
	report: Source;
}

/** Git commands that may change which files are uncommitted. */
export const settlingVerbPattern =
	/^(?:commit|stash|reset|restore|clean|checkout|switch|merge|pull|rebase|am|revert|cherry-pick|rm|mv|init)$/;
/** A line of the long form of `git status`: `	modified:   src/a.ts`. Unmerged files are not included. */
const changedPattern =
	/^[ \t]+(?:modified|new file|deleted|renamed|typechange): {1,20}(?:[^\n]{1,300} -> )?([^\n]{1,300})$/gm;
/** The list of untracked files in the long form, until an empty line. */
const untrackedBlockPattern = /^Untracked files:\n((?:[ \t]+[^\n]*\n?)+)/m;
/** A line of the short form: ` M src/a.ts`, `?? notes/`. Agents may remove the space before the first line. */
const shortPattern =
	/^(?:Output: )?([MADRCT ][MADRCT ]|\?\?|(?<!\n)[MADRCT]) (?:[^\n]{1,300} -> )?([^\n ][^\n]{0,300})$/gm;
/** The first line of the long form of `git status`. */
export const longFormPattern = /^(?:Output: )?(?:On branch|HEAD detached) /m;

/** A `git status` that lists all uncommitted files: without a path, a pipe or an option that hides untracked files. */
export const wholeStatusPattern =
	/\bgit status(?: (?!-uno|--untracked-files=no)-[-\w=]+)*\s*(?:2>(?:&1|\/dev\/null)\s*)?(?:$|[;\n]|&&|\|\|)/;

/** Returns the paths, those in generated folders first, because a shortened list names only its last paths. */
function putGeneratedFirst(paths: readonly string[]): string[] {
	return [...paths.filter(isInGeneratedFolder), ...paths.filter((path) => !isInGeneratedFolder(path))];
}

/** Returns all files that a result of `git status` lists as uncommitted. It may also contain the output of other commands. */
export function readUncommittedFiles(report: Source): UncommittedFiles {
	const { text } = report;
	const { changed, untracked } = longFormPattern.test(text) ? readLongForm(text) : readShortForm(text);
	return { changed: putGeneratedFirst(changed), untracked: putGeneratedFirst(untracked), report };
}

/** A `git status` that lists all uncommitted files, and the paths that later ones name. */
export interface EarlierStatus {
	report: Source;
	laterPaths: string[];
}

/** Returns the files that a status lists as uncommitted, without those of which a later status may say more. */
export function readEarlierFiles({ report, laterPaths }: EarlierStatus): UncommittedFiles {
	const { changed, untracked } = readUncommittedFiles(report);
	const names = laterPaths.map((path) => getFileName(path.replace(/["']|\/$/g, '')));
	const isOutside = (file: string): boolean =>
		!names.some((name) => name === '.' || name === '..' || `/${file}/`.includes(`/${name}/`));
	return { changed: changed.filter(isOutside), untracked: untracked.filter(isOutside), report };
}

/** Returns the listed files without these files of the session; undefined if there are no others. */
export function omitShownFiles(
	{ changed, untracked, report }: UncommittedFiles,
	shownFiles: readonly TouchedFile[],
): UncommittedFiles | undefined {
	const isNew = (listed: string): boolean =>
		!shownFiles.some(({ path }) => findRoot(path, listed) !== undefined);
	const others = { changed: changed.filter(isNew), untracked: untracked.filter(isNew), report };
	return others.changed.length + others.untracked.length === 0 ? undefined : others;
}

/** Returns the files that are listed, that changed after the listing, or that may be in another repository. */
export function selectUncommitted(
	files: readonly TouchedFile[],
	{ changed, untracked, report }: UncommittedFiles,
): TouchedFile[] {
	const listed = [...changed, ...untracked];
	const rootOf = (path: string): string | undefined =>
		listed.map((one) => findRoot(path, one)).find((root) => root !== undefined);
	const rootsByPath = new Map(files.map(({ path }) => [path, rootOf(path)]));
	const roots = [...new Set(rootsByPath.values())];
	const isInRepository = (path: string): boolean =>
		roots.some((root) => (root === '' ? !path.startsWith('/') : root && path.startsWith(root)));
	return files.filter(
		({ path, seq }) => seq > report.seq || !isInRepository(path) || rootsByPath.get(path) !== undefined,
	);
}

/**
 * Returns a test whether a file was committed, perhaps by the user: it is in the repository, and a `git status` does not list
 * it. Undefined if the call did not list all uncommitted files.
 */
export function createSettledTest({
	command,
	result,
	folder,
	failed,
}: CallOutcome): ((path: string) => boolean) | undefined {
	if (failed || !wholeStatusPattern.test(command)) return undefined;
	const listing = readUncommittedFiles(result);
	if (listing.changed.length + listing.untracked.length === 0) return undefined;
	return (path) => {
		const isInRepository = folder === undefined ? !path.startsWith('/') : path.startsWith(`${folder}/`);
		return isInRepository && !listsFile(listing, path);
	};
}

/** Whether a file, or a folder that contains it, is listed. */
export function listsFile({ changed, untracked }: UncommittedFiles, path: string): boolean {
	return [...changed, ...untracked].some((listed) => findRoot(path, listed) !== undefined);
}

/** Returns what precedes a listed file or folder in the path of a file; undefined if that is not listed. */
function findRoot(path: string, listed: string): string | undefined {
	const name = listed.replace(/^(?:\.\.\/)+/, '');
	const isFolder = name.endsWith('/');
	if (path === name || (isFolder && path.startsWith(name))) return '';
	const start = path.lastIndexOf(`/${name}`) + 1;
	return start > 0 && (isFolder || path.endsWith(`/${name}`)) ? path.slice(0, start) : undefined;
}

function readLongForm(text: string): Pick<UncommittedFiles, 'changed' | 'untracked'> {
	const block = untrackedBlockPattern.exec(text)?.[1] ?? '';
	return {
		changed: [...new Set(Array.from(text.matchAll(changedPattern), ([, path = '']) => readPath(path)))],
		untracked: block
			.split('\n')
			.map((line) => line.trim())
			.filter((line) => line !== '' && !line.startsWith('(use '))
			.map(readPath),
	};
}

function readShortForm(text: string): Pick<UncommittedFiles, 'changed' | 'untracked'> {
	const rows = [...text.matchAll(shortPattern)];
	const listPaths = (isUntracked: boolean): string[] =>
		rows.flatMap(([, code = '', path = '']) =>
			code.trim() !== '' && (code === '??') === isUntracked ? [readPath(path)] : [],
		);
	return { changed: listPaths(false), untracked: listPaths(true) };
}

/** Returns the real name of a listed path. Git quotes special characters, and writes their bytes as octal numbers. */
function readPath(listed: string): string {
	const path = listed.trim();
	if (!/^".+"$/.test(path)) return path;
	return path
		.slice(1, -1)
		.replace(/(?:\\[0-3][0-7]{2})+/g, (bytes) =>
			new TextDecoder().decode(
				Uint8Array.from(bytes.slice(1).split('\\'), (octal) => Number.parseInt(octal, 8)),
			),
		)
		.replace(/\\(["\\])/g, '$1');
}

/** Returns the stashed files without those that a later status lists, because the user brought them back; undefined if none is left. */
export function omitListedStash(
	stash: NonNullable<TouchedFiles['stash']>,
	status: Source | undefined,
): TouchedFiles['stash'] {
	if (status === undefined || status.seq < stash.seq) return stash;
	const paths = stash.paths.filter((path) => !status.text.includes(getFileName(path)));
	return paths.length === 0 ? undefined : { ...stash, paths };
}
