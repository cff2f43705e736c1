import type { Agent } from '../../../core/transcript/reading/agent.ts';
import { isWithin } from '../../../core/transcript/reading/home.ts';
import type { Transcript } from '../../../protocol/transcript.ts';
import { queryDatabase } from '../database.ts';
import { databasePath } from '../sessionDatabase.ts';
import type { Surroundings } from './surroundings.ts';
import { databasesIn } from './walk.ts';

/** Sessions of one database that are looked at, the newest. */
const mostSessions = 400;

/** The sessions in an agent's databases that worked in one of the folders. */
export async function databaseSessions(
	{ name, label, databases = [] }: Agent,
	around: Surroundings,
	folders: readonly string[] | undefined,
): Promise<Transcript[]> {
	const found = await Promise.all(
		databases.map(async (home) => {
			const files = await databasesIn(home, around);
			return Promise.all(
				files.map((file) => sessionsOf({ agent: name, label }, file, home.sessions, folders)),
			);
		}),
	);
	return found.flat(2);
}

async function sessionsOf(
	owner: Pick<Transcript, 'agent' | 'label'>,
	file: string,
	sql: string,
	folders: readonly string[] | undefined,
): Promise<Transcript[]> {
	const rows = await queryDatabase(file, `${sql} limit ${mostSessions}`);
	return rows.flatMap(({ id, title, folder, updated, size }) => {
		if (folders !== undefined && !folders.some((one) => isWithin(String(folder), one))) return [];
		return [
			{
				path: databasePath(file, String(id)),
				...owner,
				...(typeof title === 'string' && title !== '' && { title }),
				size: Number(size),
				updatedAt: Number(updated),
			},
		];
	});
}
