/** Clears away what holders that died left of their rooms. */

import { readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { errorCode, ifThere } from '../../core/failure.ts';
import { isGone, nameOfHolder, parseHolder, thisHolder } from '../journal/holder.ts';
import { RoomRefused, requireClosed, roomsFolder, socketFolderPrefix } from './room.ts';

/**
 * Milliseconds without a sign of life after which the room of a holder of another machine or container goes, and one
 * that says nobody's name. Long, since it costs nothing to wait: the holder may only sleep, and one that wakes makes
 * its room anew.
 */
const abandoned = 24 * 60 * 60 * 1000;

/**
 * Removes the rooms of holders that are gone: at once where their processes can be looked up, after a day without a
 * sign of life where they cannot.
 *
 * @param fresh something that was made in the state folder just now: what is older by it, is so by one clock.
 */
export async function clearRooms(stateDirectory: string, fresh: string): Promise<void> {
	const folder = roomsFolder(stateDirectory);
	const self = await thisHolder();
	const now = (await stat(fresh)).mtimeMs;
	for (const token of await namesIn(folder)) {
		const room = join(folder, token);
		const owner = (await namesIn(room)).map(parseHolder).find((holder) => holder !== undefined);
		const sign = owner === undefined ? room : join(room, nameOfHolder(owner));
		const found = await ifThere(stat(sign));
		if (found === undefined) continue;
		const age = now - found.mtimeMs;
		if (owner?.scope === self.scope) {
			if (!(await isGone(owner, self, age))) continue;
			await clearElsewhere(sign);
		} else if (age < abandoned) continue;
		await rm(room, { recursive: true, force: true });
	}
}

/** Removes the folder that a dead holder of this machine had for its socket outside of the state folder. */
async function clearElsewhere(owner: string): Promise<void> {
	const folder = await readFile(owner, 'utf8');
	if (dirname(folder) !== tmpdir() || !basename(folder).startsWith(socketFolderPrefix)) return;
	try {
		await requireClosed(folder, 'isDirectory');
	} catch (error) {
		if (error instanceof RoomRefused || errorCode(error) === 'ENOENT') return;
		throw error;
	}
	await rm(folder, { recursive: true, force: true });
}

async function namesIn(folder: string): Promise<string[]> {
	return (await ifThere(readdir(folder), ['ENOENT', 'ENOTDIR', 'EACCES'])) ?? [];
}
