/** Groups visible results by the file or command that they come from. */

import { pathToUri } from '../files/folder.ts';
import { getOrInsert } from '../getOrInsert.ts';
import type { Row, Unit } from '../history/row.ts';
import { forEachInSlices, itemsPerSlice, type SlicedTask } from '../slices.ts';
import type { SourcedResult } from './findResults.ts';

/** The results of one file or one command; `name` is the URI or the command. */
export interface ResultGroup {
	name: string;
	results: SourcedResult[];
}

export interface ResultGroups {
	files: Map<string, ResultGroup>;
	commands: Map<string, ResultGroup>;
}

function addToGroup(groups: Map<string, ResultGroup>, name: string, result: SourcedResult): void {
	getOrInsert(groups, name, () => ({ name, results: [] })).results.push(result);
}

/** Returns the results of each file and of each command that ran at least twice, in order. Linear in the results. */
export function* groupResults(results: readonly SourcedResult[]): SlicedTask<ResultGroups> {
	const byPath = new Map<string, ResultGroup>();
	const commands = new Map<string, ResultGroup>();
	yield* forEachInSlices(results, (result) => {
		for (const path of result.paths) addToGroup(byPath, path, result);
		if (result.run) addToGroup(commands, result.run.command, result);
	});
	for (const [command, { results: runs }] of commands) if (runs.length < 2) commands.delete(command);
	const files = new Map<string, ResultGroup>();
	for (const [path, group] of byPath) {
		// A relative path and a path in the home folder have no URI.
		const name = /^(?:\/|[A-Za-z]:\/)/.test(path) ? pathToUri(path) : path;
		files.set(name, { ...group, name });
	}
	return { files, commands };
}

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
	let visitedCount = 0;
	for (const path of relativePaths.size > 0 ? absolutePaths : []) {
		if (++visitedCount % itemsPerSlice === 0) yield;
		for (let slash = path.indexOf('/'); slash >= 0; slash = path.indexOf('/', slash + 1)) {
			const end = path.slice(slash + 1);
			if (relativePaths.has(end)) absoluteByRelative.set(end, absoluteByRelative.has(end) ? '' : path);
		}
	}
	return (path) => absoluteByRelative.get(path) || path;
}
