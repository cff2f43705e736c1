/** Finds all transcripts and databases on this machine that contain calls of models. */

import { stat } from 'node:fs/promises';
import { ifExists } from '../../core/failure.ts';
import type { Agent } from '../../core/transcript/index.ts';
import { mapInBatches } from '../disk/mapInBatches.ts';
import type { AgentEnvironment } from '../transcript/agentEnvironment.ts';
import { findDatabases, findTranscriptCandidates } from '../transcript/discover/walk.ts';

/** A file that contains calls of models. */
export interface CallFile {
	agent: Agent;
	path: string;
	size: number;
	/** When the file changed last, in milliseconds since the epoch. */
	updatedAt: number;
	isDatabase: boolean;
	/** The transcript's path, if the file is a recording of it. */
	original?: string;
	/** The folder of the project, if the file's location shows to which project the file belongs. */
	folder?: string;
}

/** Maximum files that are inspected at the same time. */
const maxParallel = 64;

/** Reads size and time of a file; undefined if it is missing, empty, unreadable or not a file. */
async function readState(path: string): Promise<Pick<CallFile, 'size' | 'updatedAt'> | undefined> {
	const stats = await ifExists(stat(path), ['ENOENT', 'ENOTDIR', 'EACCES', 'EPERM', 'ELOOP']);
	if (!stats?.isFile() || stats.size === 0) return undefined;
	return { size: stats.size, updatedAt: stats.mtimeMs };
}

/** Reads size and time of a database together with its write-ahead log, to which SQLite writes first. */
async function readDatabaseState(path: string): Promise<Pick<CallFile, 'size' | 'updatedAt'> | undefined> {
	const [database, log] = await Promise.all([readState(path), readState(`${path}-wal`)]);
	if (database === undefined || log === undefined) return database;
	return { size: database.size + log.size, updatedAt: Math.max(database.updatedAt, log.updatedAt) };
}

/** Lists the paths of an agent's files, except those whose location shows that they do not belong to `folder`. */
async function listPaths(agent: Agent, machine: AgentEnvironment, folder: string | undefined) {
	const homes = [...(agent.homes ?? []), ...(agent.subAgents?.homes ?? [])];
	const candidates = await Promise.all(
		homes.map((home) => findTranscriptCandidates(home, machine, folder, Number.POSITIVE_INFINITY)),
	);
	const files = new Map(candidates.flat().map((one) => [one.path, { ...one, isDatabase: false }]));
	const databases = await Promise.all((agent.databases ?? []).map((home) => findDatabases(home, machine)));
	for (const path of databases.flat()) files.set(path, { path, belongsToFolder: false, isDatabase: true });
	return [...files.values()];
}

/** Returns the files with calls of an agent, in no particular order. */
export async function findCallFiles(
	agent: Agent,
	machine: AgentEnvironment,
	folder: string | undefined,
): Promise<CallFile[]> {
	const locations = await listPaths(agent, machine, folder);
	return mapInBatches(locations, maxParallel, async ({ path, belongsToFolder, isDatabase }) => {
		const state = await (isDatabase ? readDatabaseState(path) : readState(path));
		const folderField = belongsToFolder && folder !== undefined ? { folder } : {};
		return state && { agent, path, isDatabase, ...state, ...folderField };
	});
}
