/** Groups visible results by the file or command that they come from. */

import { pathToUri } from '../files/folder.ts';
import { getOrInsert } from '../getOrInsert.ts';
import { forEachInSlices, type SlicedTask } from '../slices.ts';
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

/** Returns the URI of a path; a relative path and a path in the home folder have none and are returned unchanged. */
function toSourceUri(path: string): string {
	return /^(?:\/|[A-Za-z]:\/)/.test(path) ? pathToUri(path) : path;
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
		const name = toSourceUri(path);
		files.set(name, { ...group, name });
	}
	return { files, commands };
}
