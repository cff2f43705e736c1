/** Maps the absolute and relative paths of a file to one path. */

import type { Row, Unit } from '../history/row.ts';
import { forEachInSlices, itemsPerSlice, type SlicedTask } from '../slices.ts';

/** Whether a path is absolute: `/x`, `//host/x`, `C:/x` or `~/x`. */
function isAbsolutePath(path: string): boolean {
	return /^(?:\/|[A-Za-z]:\/|~)/.test(path);
}

/**
 * Returns a function that maps all paths of one file to one path. In a session without a workspace, a relative path
 * becomes the absolute path that ends with it, if there is exactly one. Linear in the view.
 */
export function* createFileNamer(
	view: readonly Unit[],
	rows: readonly Row[],
): SlicedTask<(path: string) => string> {
	const absolutePaths = new Set<string>();
	const relativePaths = new Set<string>();
	yield* forEachInSlices(view, ({ from }) => {
		for (const { path } of rows[from]?.touches ?? [])
			(isAbsolutePath(path) ? absolutePaths : relativePaths).add(path);
	});
	/** The absolute path of each relative path; empty if several match. */
	const absoluteByRelative = new Map<string, string>();
	let visited = 0;
	for (const path of relativePaths.size > 0 ? absolutePaths : []) {
		if (++visited % itemsPerSlice === 0) yield;
		for (let slash = path.indexOf('/'); slash >= 0; slash = path.indexOf('/', slash + 1)) {
			const end = path.slice(slash + 1);
			if (relativePaths.has(end)) absoluteByRelative.set(end, absoluteByRelative.has(end) ? '' : path);
		}
	}
	return (path) => absoluteByRelative.get(path) || path;
}
