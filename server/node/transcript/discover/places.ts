import { agents } from '../../../core/transcript/agents.ts';
import { type AgentEnvironment, foldersOf, readVariable } from './agentEnvironment.ts';

/**
 * The folders and files in which known agents store sessions and what they need to resume them, existing or not.
 * They belong to those agents: contextd never writes there.
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
