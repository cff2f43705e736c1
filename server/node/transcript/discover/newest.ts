import { closeSync, existsSync, openSync, readSync, type Stats, statSync } from 'node:fs';
import { agents } from '../../../core/transcript/agents.ts';
import { type DatabaseHome, isWithin } from '../../../core/transcript/reading/home.ts';
import { queryDatabase } from '../database.ts';
import { readOnly } from '../openFile.ts';
import { databasePath } from '../sessionDatabase.ts';
import { folderNames } from './folderNames.ts';
import { readHead } from './head.ts';
import type { Candidate } from './listing.ts';
import type { Surroundings } from './surroundings.ts';
import { candidatesIn, databasesIn } from './walk.ts';

/** Bytes at the start of a file that name its folder; where they do not, the file is another folder's. */
const namedWithin = 64 << 10;
/** Sessions of one database that are looked at, the newest. */
const mostSessions = 100;

/** A transcript, and when it last grew. */
export interface NewestTranscript {
	path: string;
	/** Milliseconds since the epoch. */
	updatedAt: number;
}

type Seen = Candidate &
	NewestTranscript & {
		/** Whether it is known to be a transcript, without a look at what it holds. */
		isSession: boolean;
	};

/**
 * The newest transcript of an agent that worked in a folder or below it; undefined where there is none. Made for a
 * process that looks once and ends: it asks without waiting, and opens files from the newest on until one belongs.
 */
export async function newestTranscript(
	around: Surroundings,
	folder: string,
): Promise<NewestTranscript | undefined> {
	const folders = await folderNames(folder);
	const homes = agents.flatMap(({ homes = [] }) => homes);
	const databases = agents.flatMap(({ databases = [] }) => databases);
	const listed = await Promise.all(
		homes.flatMap((home) => folders.map((one) => candidatesIn(home, around, one))),
	);
	const inDatabases = await Promise.all(databases.map((home) => newestIn(home, around, folders)));
	const byPath = new Map(listed.flat().map((candidate) => [candidate.path, candidate]));
	const seen = [...[...byPath.values()].flatMap(look), ...inDatabases.flat()];
	const piece = Buffer.allocUnsafe(namedWithin);
	for (const one of seen.sort((a, b) => b.updatedAt - a.updatedAt)) {
		if (await belongsTo(one, folders, piece)) return { path: one.path, updatedAt: one.updatedAt };
	}
	return undefined;
}

/** The sessions of the folders in an agent's databases; what reads them is loaded only where there are some. */
async function newestIn(
	home: DatabaseHome,
	around: Surroundings,
	folders: readonly string[],
): Promise<Seen[]> {
	const files = (await databasesIn(home, around)).filter((file) => existsSync(file));
	if (files.length === 0) return [];
	// Of the subquery only the columns that are named are worked out.
	const sql = `select id, folder, updated from (${home.sessions}) limit ${mostSessions}`;
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

function look(candidate: Candidate): Seen[] {
	const stats: Stats | undefined = statSync(candidate.path, { throwIfNoEntry: false });
	if (!stats?.isFile() || stats.size === 0) return [];
	return [{ ...candidate, updatedAt: stats.mtimeMs, isSession: false }];
}

async function belongsTo(
	{ path, belongs, isSession }: Seen,
	folders: readonly string[],
	piece: Buffer,
): Promise<boolean> {
	if (isSession) return true;
	if (!belongs && !folders.some((folder) => mayName(path, folder, piece))) return false;
	const head = await readHead(path);
	if (head === undefined) return false;
	return belongs || folders.some((folder) => head.folders.some((one) => isWithin(one, folder)));
}

/** Whether the start of a file holds a folder's name; true as well where it may stand there in other letters. */
function mayName(path: string, folder: string, piece: Buffer): boolean {
	if (!/^[\x20-\x7e]*$/.test(folder)) return true;
	const file = openSync(path, readOnly);
	try {
		const start = piece.subarray(0, readSync(file, piece, 0, piece.length, 0));
		// A compressed one says nothing before it was read.
		return start[0] === 0x28 || start.includes(JSON.stringify(folder).slice(1, -1));
	} finally {
		closeSync(file);
	}
}
