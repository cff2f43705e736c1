import { agents } from '../../../core/transcript/agents.ts';
import { foldersOf, named, type Surroundings } from './surroundings.ts';

/**
 * The folders, and single files, in which known agents keep what they need to go on with a session, existing or not.
 * They belong to those agents: nothing is ever written there.
 */
export function transcriptFolders(around: Surroundings): string[] {
	const found = agents.flatMap(({ homes = [], databases = [] }) => [
		...homes.flatMap(({ root }) => foldersOf(root, around)),
		...databases.flatMap(({ root, variable }) => [
			...foldersOf(root, around),
			...(variable === undefined ? [] : (named(around, variable) ?? [])),
		]),
	]);
	return [...new Set(found)];
}
