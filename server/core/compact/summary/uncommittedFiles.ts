/** Reads the uncommitted files that `git status` lists. */

import type { TouchedFile } from '../../analysis/filesTouched.ts';
import type { Source } from '../../analysis/source.ts';

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
/** A line of the short form: ` M src/a.ts`, `?? notes/`. */
const shortPattern = /^(?:Output: )?([MADRCT ][MADRCT ]|\?\?) (?:[^\n]{1,300} -> )?([^\n ][^\n]{0,300})$/gm;
/** The first line of the long form of `git status`. */
export const longFormPattern = /^(?:Output: )?(?:On branch|HEAD detached) /m;

/**
 * Returns the files that a result of `git status` lists as uncommitted, without those that are shown elsewhere; undefined if
 * it lists no others. The result may also contain the output of other commands.
 */
export function readUncommittedFiles(
	report: Source,
	shownFiles: readonly TouchedFile[],
): UncommittedFiles | undefined {
	const { text } = report;
	const lists = longFormPattern.test(text) ? readLongForm(text) : readShortForm(text);
	const isNew = (path: string): boolean =>
		!shownFiles.some(
			(shown) => shown.path === path || shown.path.endsWith(`/${path}`) || shown.path.startsWith(path),
		);
	const [changed, untracked] = [lists.changed.filter(isNew), lists.untracked.filter(isNew)];
	return changed.length + untracked.length === 0 ? undefined : { changed, untracked, report };
}

function readLongForm(text: string): Pick<UncommittedFiles, 'changed' | 'untracked'> {
	const block = untrackedBlockPattern.exec(text)?.[1] ?? '';
	return {
		changed: [...new Set(Array.from(text.matchAll(changedPattern), ([, path = '']) => path.trim()))],
		untracked: block
			.split('\n')
			.map((line) => line.trim())
			.filter((line) => line !== '' && !line.startsWith('(use ')),
	};
}

function readShortForm(text: string): Pick<UncommittedFiles, 'changed' | 'untracked'> {
	const rows = [...text.matchAll(shortPattern)];
	const listPaths = (isUntracked: boolean): string[] =>
		rows.flatMap(([, code = '', path = '']) =>
			code.trim() !== '' && (code === '??') === isUntracked ? [path.trim()] : [],
		);
	return { changed: listPaths(false), untracked: listPaths(true) };
}
