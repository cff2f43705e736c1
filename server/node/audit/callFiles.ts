/** Finds every transcript with calls of models on this machine. */

import { stat } from 'node:fs/promises';
import { ifExists } from '../../core/failure.ts';
import type { Agent } from '../../core/transcript/reading/agent.ts';
import type { AgentEnvironment } from '../transcript/discover/agentEnvironment.ts';
import { candidatesIn, databasesIn } from '../transcript/discover/walk.ts';

/** A file with calls. */
export interface CallFile {
	agent: Agent;
	path: string;
	size: number;
	/** Milliseconds since the epoch. */
	updatedAt: number;
	isDatabase: boolean;
	/** Original path of a recording's transcript. */
	original?: string;
	/** The folder of the project, if the location shows that the file belongs to it. */
	folder?: string;
}

/** Maximum files that are inspected at the same time. */
const maxParallel = 64;

/** What `stat` reports of a file; undefined if it is missing, empty, unreadable or not a file. */
async function stateOf(path: string): Promise<Pick<CallFile, 'size' | 'updatedAt'> | undefined> {
	const stats = await ifExists(stat(path), ['ENOENT', 'ENOTDIR', 'EACCES', 'EPERM', 'ELOOP']);
	if (!stats?.isFile() || stats.size === 0) return undefined;
	return { size: stats.size, updatedAt: stats.mtimeMs };
}

/** Returns the state of a database together with its log, to which SQLite writes first. */
async function databaseState(path: string): Promise<Pick<CallFile, 'size' | 'updatedAt'> | undefined> {
	const [own, log] = await Promise.all([stateOf(path), stateOf(`${path}-wal`)]);
	if (own === undefined || log === undefined) return own;
	return { size: own.size + log.size, updatedAt: Math.max(own.updatedAt, log.updatedAt) };
}

/** Returns the paths of an agent's files. If a folder is given, leaves out files whose location shows another one. */
async function pathsOf(agent: Agent, machine: AgentEnvironment, folder: string | undefined) {
	const homes = [...(agent.homes ?? []), ...(agent.subAgents?.homes ?? [])];
	const listed = await Promise.all(
		homes.map((home) => candidatesIn(home, machine, folder, Number.POSITIVE_INFINITY)),
	);
	const files = new Map(listed.flat().map((one) => [one.path, { ...one, isDatabase: false }]));
	const databases = await Promise.all((agent.databases ?? []).map((home) => databasesIn(home, machine)));
	for (const path of databases.flat()) files.set(path, { path, belongs: false, isDatabase: true });
	return [...files.values()];
}

/** Returns the files with calls of an agent, in no particular order. */
export async function findCallFiles(
	agent: Agent,
	machine: AgentEnvironment,
	folder: string | undefined,
): Promise<CallFile[]> {
	const places = await pathsOf(agent, machine, folder);
	const files: CallFile[] = [];
	for (let from = 0; from < places.length; from += maxParallel) {
		const found = await Promise.all(
			places.slice(from, from + maxParallel).map(async ({ path, belongs, isDatabase }) => {
				const state = await (isDatabase ? databaseState(path) : stateOf(path));
				if (state === undefined) return [];
				const place = belongs && folder !== undefined ? { folder } : {};
				return [{ agent, path, isDatabase, ...state, ...place }];
			}),
		);
		files.push(...found.flat());
	}
	return files;
}
