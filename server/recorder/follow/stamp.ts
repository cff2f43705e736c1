import { statSync } from 'node:fs';
import { isTimeSettled } from '../../node/transcript/openFile.ts';
import { splitDatabasePath } from '../../node/transcript/sessionDatabase.ts';

/** The state of a file on disk. */
export interface StampedState {
	/** Inode, size and modification time of the file as one text, which differs after a change. */
	stamp: string;
	/** Bytes. */
	size: number;
	/** Milliseconds since the epoch. */
	mtimeMs: number;
}

/** Reads the state of a file; undefined if the file does not exist, or for a session in a database. */
export function readStampedState(path: string): StampedState | undefined {
	if (splitDatabasePath(path)) return undefined;
	const stats = statSync(path, { throwIfNoEntry: false });
	if (stats === undefined) return undefined;
	const { ino, size, mtimeMs } = stats;
	return { stamp: `${ino}:${size}:${mtimeMs}`, size, mtimeMs };
}

/** Returns the stamp of a file's state; empty if there is no file. */
export function readStamp(path: string): string {
	return readStampedState(path)?.stamp ?? '';
}

/** Returns the stamp of a file's state; empty if there is no file, or if a change from now on may get the same time. */
export function readSettledStamp(path: string): string {
	const state = readStampedState(path);
	return state && isTimeSettled(state.mtimeMs) ? state.stamp : '';
}
