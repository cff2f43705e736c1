import { type Stats, statSync } from 'node:fs';
import { isTimeSettled } from '../../node/transcript/openFile.ts';
import { splitDatabasePath } from '../../node/transcript/sessionDatabase.ts';

/** Number, size and time of a file; empty if it does not exist, or for a session in a database. */
export function fileStampOf(path: string): string {
	return stampOf(statsOf(path));
}

/** Like `fileStampOf`, and also empty if a change from now on may get the same time. */
export function settledStampOf(path: string): string {
	const stats = statsOf(path);
	return stats && isTimeSettled(stats.mtimeMs) ? stampOf(stats) : '';
}

function statsOf(path: string): Stats | undefined {
	return splitDatabasePath(path) ? undefined : statSync(path, { throwIfNoEntry: false });
}

function stampOf(stats: Stats | undefined): string {
	return stats === undefined ? '' : `${stats.ino}:${stats.size}:${stats.mtimeMs}`;
}
