import { statSync } from 'node:fs';
import { splitDatabasePath } from '../../node/transcript/sessionDatabase.ts';

/** Number, size and time of a file; empty if it does not exist, or for a session in a database. */
export function fileStampOf(path: string): string {
	const stats = splitDatabasePath(path) ? undefined : statSync(path, { throwIfNoEntry: false });
	return stats === undefined ? '' : `${stats.ino}:${stats.size}:${stats.mtimeMs}`;
}
