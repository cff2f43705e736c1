import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Transcript } from '../../../protocol/transcript.ts';
import { databasePath, queryDatabase } from '../openCodeDatabase.ts';
import { errorCode } from '../unreadable.ts';
import { isWithin } from './head.ts';
import { openCodeHome, type Surroundings } from './homes.ts';

/** Sessions of one database that are looked at, the newest. */
const mostSessions = 400;

/** The sessions in OpenCode's databases that worked in one of the folders; none where Node has no SQLite. */
export async function databaseSessions(
	around: Surroundings,
	folders: readonly string[] | undefined,
): Promise<Transcript[]> {
	const home = openCodeHome(around);
	const chosen = around.environment.OPENCODE_DB;
	const files = chosen ? [chosen] : (await databasesIn(home)).map((name) => join(home, name));
	const found = await Promise.all(files.map((file) => sessionsOf(file, folders)));
	return found.flat();
}

async function databasesIn(home: string): Promise<string[]> {
	try {
		return (await readdir(home)).filter((name) => /^opencode.*\.db$/.test(name));
	} catch (error) {
		if (['ENOENT', 'ENOTDIR', 'EACCES'].includes(errorCode(error))) return [];
		throw error;
	}
}

async function sessionsOf(file: string, folders: readonly string[] | undefined): Promise<Transcript[]> {
	const rows =
		(await queryDatabase(
			file,
			`select s.id, s.title, s.directory, s.time_updated as updated,
				(select coalesce(sum(length(p.data)), 0) from part p where p.session_id = s.id) as size
			from session s order by s.time_updated desc limit ${mostSessions}`,
		)) ?? [];
	return rows.flatMap(({ id, title, directory, updated, size }) => {
		const worked = String(directory);
		if (folders !== undefined && !folders.some((folder) => isWithin(worked, folder))) return [];
		return [
			{
				path: databasePath(file, String(id)),
				agent: 'opencode',
				...(typeof title === 'string' && title !== '' && { title }),
				size: Number(size),
				updatedAt: Number(updated),
			},
		];
	});
}
