/** Creates folders for sockets that only the user may enter. */

import { lstat, mkdir } from 'node:fs/promises';

/** Thrown if a folder or a socket cannot be used; the message is for the user. */
export class LocationRefusedError extends Error {}

/** Maximum bytes of a Unix socket's path on all systems (104 on macOS, 108 on Linux, with terminator). */
export const maxSocketPathBytes = 100;

/**
 * Creates a folder if it does not exist.
 * @throws LocationRefusedError if the path is not a folder, belongs to another user, or is open to other users
 */
export async function requireOwnFolder(folder: string, uid = process.getuid?.()): Promise<void> {
	await mkdir(folder, { recursive: true, mode: 0o700 });
	const stats = await lstat(folder);
	if (!stats.isDirectory()) throw new LocationRefusedError(`${folder} is not a folder`);
	if (stats.uid !== uid) throw new LocationRefusedError(`${folder} belongs to another user`);
	if ((stats.mode & 0o077) !== 0) throw new LocationRefusedError(`${folder} is open to other users`);
}
