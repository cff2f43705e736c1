/** One name for a file that calls name in two ways. */

import { longestPath } from './tuning.ts';

/** The name that a file goes by, whether a path is absolute or taken from the folder that commands run in. */
export type PathNames = (path: string) => string;

const absolute = /^(?:[A-Za-z]:)?\/|^~/;

/**
 * The absolute names of files that these paths name in both ways: nobody says in which folder commands run, so it is
 * the one that most of the relative paths have in common with absolute ones. Other paths keep their names.
 */
export function pathNames(paths: readonly string[]): PathNames {
	const whole = new Set(paths.filter((path) => absolute.test(path)));
	const relative = new Set(paths.filter((path) => !absolute.test(path) && path.includes('/')));
	const folders = new Map<string, number>();
	for (const path of whole) {
		if (path.length > longestPath) continue;
		for (const { index } of path.matchAll(/\//g)) {
			if (!relative.has(path.slice(index + 1))) continue;
			const folder = path.slice(0, index + 1);
			folders.set(folder, (folders.get(folder) ?? 0) + 1);
		}
	}
	const [folder] = [...folders].sort(([, a], [, b]) => b - a)[0] ?? [];
	if (folder === undefined) return (path) => path;
	return (path) => (!absolute.test(path) && whole.has(folder + path) ? folder + path : path);
}
