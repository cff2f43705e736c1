/** Creates folders for sockets that only the user may enter. */

import { lstat, mkdir } from 'node:fs/promises';

/** Thrown if a folder or a socket cannot be used; the message is for the user. */
export class LocationRefused extends Error {}

/** Maximum bytes of a Unix socket's path on all systems (104 on macOS, 108 on Linux, with terminator). */
export const maxSocketPathBytes = 100;

/**
 * Creates a folder if it does not exist.
 * @throws LocationRefused if the path is not a folder, belongs to another user, or is open to other users
 */
export async function requireOwnFolder(folder: string, uid = process.getuid?.()): Promise<void> {
	await mkdir(folder, { recursive: true, mode: 0o700 });
	const stats = await lstat(folder);
	if (!stats.isDirectory()) throw new LocationRefused(`${folder} is not a folder`);
	if (stats.uid !== uid) throw new LocationRefused(`${folder} belongs to another user`);
	if ((stats.mode & 0o077) !== 0) throw new LocationRefused(`${folder} is open to other users`);
}
