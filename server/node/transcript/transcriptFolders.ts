import { agents } from '../../core/transcript/index.ts';
import { type AgentEnvironment, readVariable, resolveFolders } from './agentEnvironment.ts';

/**
 * Returns the folders and files where known agents store sessions, whether they exist or not. contextd never writes there,
 * because they belong to the agents.
 */
export function listTranscriptFolders(machine: AgentEnvironment): string[] {
	const folders = agents.flatMap(({ homes = [], databases = [] }) => [
		...homes.flatMap(({ root }) => resolveFolders(root, machine)),
		...databases.flatMap(({ root, variable }) => [
			...resolveFolders(root, machine),
			...(variable === undefined ? [] : (readVariable(machine, variable) ?? [])),
		]),
	]);
	return [...new Set(folders)];
}
