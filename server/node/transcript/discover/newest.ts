import { closeSync, existsSync, openSync, readSync, type Stats, statSync } from 'node:fs';
import { agents, type DatabaseHome, isWithin } from '../../../core/transcript/index.ts';
import type { AgentEnvironment } from '../agentEnvironment.ts';
import { queryDatabase } from '../database.ts';
import { readOnlyFlags } from '../openFile.ts';
import { formatDatabasePath } from '../sessionDatabase.ts';
import { readTranscriptHead } from './head.ts';
import { resolveFolderNames, type TranscriptCandidate } from './listing.ts';
import { findDatabases, findTranscriptCandidates } from './walk.ts';

/** A transcript must state its folder within this many bytes at its start; otherwise it is not considered. */
const maxSearchedBytes = 64 << 10;
/** Maximum sessions of a database that are considered, newest first. */
const maxSessions = 100;

/** The path of a transcript, and the time of its last change. */
export interface NewestTranscript {
	path: string;
	/** When the transcript changed last, in milliseconds since the epoch. */
	updatedAt: number;
}

type FoundTranscript = TranscriptCandidate &
	NewestTranscript & {
		/** Whether this is a session in a database, so that it need not be read to know its agent and folder. */
		isSession: boolean;
	};

/**
 * Returns the newest transcript of an agent that worked in a folder or below it; undefined if there is none.
 *
 * Intended for a process that ends after one search: reads synchronously, and opens files, newest first, until one belongs to the
 * folder.
 */
export async function findNewestTranscript(
	machine: AgentEnvironment,
	folder: string,
): Promise<NewestTranscript | undefined> {
	const folders = await resolveFolderNames(folder);
	const homes = agents.flatMap((agent) => agent.homes ?? []);
	const databases = agents.flatMap((agent) => agent.databases ?? []);
	const candidateLists = await Promise.all(
		homes.flatMap((home) => folders.map((one) => findTranscriptCandidates(home, machine, one))),
	);
	const databaseSessions = await Promise.all(
		databases.map((home) => listDatabaseSessions(home, machine, folders)),
	);
	const byPath = new Map(candidateLists.flat().map((candidate) => [candidate.path, candidate]));
	const transcripts = [...[...byPath.values()].flatMap(toFoundTranscripts), ...databaseSessions.flat()];
	const buffer = Buffer.allocUnsafe(maxSearchedBytes);
	for (const one of transcripts.sort((a, b) => b.updatedAt - a.updatedAt)) {
		if (await belongsTo(one, folders, buffer)) return { path: one.path, updatedAt: one.updatedAt };
	}
	return undefined;
}

/** Returns the sessions in an agent's databases that belong to the folders. */
async function listDatabaseSessions(
	home: DatabaseHome,
	machine: AgentEnvironment,
	folders: readonly string[],
): Promise<FoundTranscript[]> {
	const files = (await findDatabases(home, machine)).filter((file) => existsSync(file));
	if (files.length === 0) return [];
	// SQLite does not compute columns of the subquery that are not named here.
	const sql = `select id, folder, updated from (${home.sessionsSql}) limit ${maxSessions}`;
	const sessionLists = await Promise.all(
		files.map(async (file) => {
			const rows = await queryDatabase(file, sql);
			return rows
				.filter((row) => folders.some((folder) => isWithin(String(row.folder), folder)))
				.map(({ id, updated }) => ({
					path: formatDatabasePath(file, String(id)),
					belongsToFolder: true,
					isSession: true,
					updatedAt: Number(updated),
				}));
		}),
	);
	return sessionLists.flat();
}

function toFoundTranscripts(candidate: TranscriptCandidate): FoundTranscript[] {
	const stats: Stats | undefined = statSync(candidate.path, { throwIfNoEntry: false });
	if (!stats?.isFile() || stats.size === 0) return [];
	return [{ ...candidate, updatedAt: stats.mtimeMs, isSession: false }];
}

async function belongsTo(
	{ path, belongsToFolder, isSession }: FoundTranscript,
	folders: readonly string[],
	buffer: Buffer,
): Promise<boolean> {
	if (isSession) return true;
	if (!belongsToFolder && !folders.some((folder) => mayContainFolder(path, folder, buffer))) return false;
	const head = await readTranscriptHead(path);
	if (head === undefined) return false;
	return belongsToFolder || folders.some((folder) => head.folders.some((one) => isWithin(one, folder)));
}

/** Whether the start of a file contains a folder's path, or may contain it in another encoding. */
function mayContainFolder(path: string, folder: string, buffer: Buffer): boolean {
	if (!/^[\x20-\x7e]*$/.test(folder)) return true;
	const file = openSync(path, readOnlyFlags);
	try {
		const start = buffer.subarray(0, readSync(file, buffer, 0, buffer.length, 0));
		// The first byte may be that of a compressed file, whose content is unknown here.
		return start[0] === 0x28 || start.includes(JSON.stringify(folder).slice(1, -1));
	} finally {
		closeSync(file);
	}
}
