import { closeSync, existsSync, openSync, readSync, type Stats, statSync } from 'node:fs';
import { agents } from '../../../core/transcript/agents.ts';
import { type DatabaseHome, isWithin } from '../../../core/transcript/reading/locations.ts';
import { queryDatabase } from '../database.ts';
import { readOnlyFlags } from '../openFile.ts';
import { databasePath } from '../sessionDatabase.ts';
import type { AgentEnvironment } from './agentEnvironment.ts';
import { readTranscriptHead } from './head.ts';
import { folderNames, type TranscriptCandidate } from './listing.ts';
import { candidatesIn, databasesIn } from './walk.ts';

/** Bytes at the start of a file that must contain its folder; otherwise it belongs to another folder. */
const searchedBytes = 64 << 10;
/** Maximum number of newest sessions considered per database. */
const maxSessions = 100;

/** A transcript, and the time of its last change. */
export interface NewestTranscript {
	path: string;
	/** Milliseconds since the epoch. */
	updatedAt: number;
}

type FoundTranscript = TranscriptCandidate &
	NewestTranscript & {
		/** Whether it is known to be a transcript without reading it. */
		isSession: boolean;
	};

/**
 * The newest transcript of an agent that worked in a folder or below it; undefined if there is none.
 *
 * For a process that looks once and ends: it reads synchronously, and opens files, newest first, until one is of that
 * folder.
 */
export async function newestTranscript(
	machine: AgentEnvironment,
	folder: string,
): Promise<NewestTranscript | undefined> {
	const folders = await folderNames(folder);
	const homes = agents.flatMap(({ homes = [] }) => homes);
	const databases = agents.flatMap(({ databases = [] }) => databases);
	const listed = await Promise.all(
		homes.flatMap((home) => folders.map((one) => candidatesIn(home, machine, one))),
	);
	const inDatabases = await Promise.all(databases.map((home) => newestIn(home, machine, folders)));
	const byPath = new Map(listed.flat().map((candidate) => [candidate.path, candidate]));
	const seen = [...[...byPath.values()].flatMap(inspect), ...inDatabases.flat()];
	const piece = Buffer.allocUnsafe(searchedBytes);
	for (const one of seen.sort((a, b) => b.updatedAt - a.updatedAt)) {
		if (await belongsTo(one, folders, piece)) return { path: one.path, updatedAt: one.updatedAt };
	}
	return undefined;
}

/** The sessions of the folders in an agent's databases; the code that reads them is loaded only if there are any. */
async function newestIn(
	home: DatabaseHome,
	machine: AgentEnvironment,
	folders: readonly string[],
): Promise<FoundTranscript[]> {
	const files = (await databasesIn(home, machine)).filter((file) => existsSync(file));
	if (files.length === 0) return [];
	// SQLite computes only the named columns of the subquery.
	const sql = `select id, folder, updated from (${home.sessions}) limit ${maxSessions}`;
	const found = await Promise.all(
		files.map(async (file) => {
			const rows = await queryDatabase(file, sql);
			return rows
				.filter((row) => folders.some((folder) => isWithin(String(row.folder), folder)))
				.map(({ id, updated }) => ({
					path: databasePath(file, String(id)),
					belongs: true,
					isSession: true,
					updatedAt: Number(updated),
				}));
		}),
	);
	return found.flat();
}

function inspect(candidate: TranscriptCandidate): FoundTranscript[] {
	const stats: Stats | undefined = statSync(candidate.path, { throwIfNoEntry: false });
	if (!stats?.isFile() || stats.size === 0) return [];
	return [{ ...candidate, updatedAt: stats.mtimeMs, isSession: false }];
}

async function belongsTo(
	{ path, belongs, isSession }: FoundTranscript,
	folders: readonly string[],
	piece: Buffer,
): Promise<boolean> {
	if (isSession) return true;
	if (!belongs && !folders.some((folder) => mayName(path, folder, piece))) return false;
	const head = await readTranscriptHead(path);
	if (head === undefined) return false;
	return belongs || folders.some((folder) => head.folders.some((one) => isWithin(one, folder)));
}

/** Whether the start of a file contains a folder's path; also true if it may be encoded differently. */
function mayName(path: string, folder: string, piece: Buffer): boolean {
	if (!/^[\x20-\x7e]*$/.test(folder)) return true;
	const file = openSync(path, readOnlyFlags);
	try {
		const start = piece.subarray(0, readSync(file, piece, 0, piece.length, 0));
		// A compressed file reveals nothing before it is decompressed.
		return start[0] === 0x28 || start.includes(JSON.stringify(folder).slice(1, -1));
	} finally {
		closeSync(file);
	}
}
