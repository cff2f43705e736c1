import { agents } from '../../../core/transcript/agents.ts';
import { type AgentEnvironment, foldersOf, readVariable } from './agentEnvironment.ts';

/**
 * Returns the folders and files in which known agents store sessions, whether they exist or not. contextd never writes there,
 * because they belong to the agents.
 */
export function transcriptFolders(machine: AgentEnvironment): string[] {
	const found = agents.flatMap(({ homes = [], databases = [] }) => [
		...homes.flatMap(({ root }) => foldersOf(root, machine)),
		...databases.flatMap(({ root, variable }) => [
			...foldersOf(root, machine),
			...(variable === undefined ? [] : (readVariable(machine, variable) ?? [])),
		]),
	]);
	return [...new Set(found)];
}
