import type { RestoredSession } from '../../core/restore/restoredPage.ts';
import type { CommandDaemon } from '../console/daemon.ts';

/** A whole session, and what it needs until it is closed. */
export interface WholeSession extends RestoredSession {
	/** Removes what the session keeps on disk. */
	close(): void;
}

/**
 * Reads a transcript or, through the daemon, a recording, from its start to its end.
 * @param read called with the bytes that were read so far
 */
export type OpenWholeSession = (
	path: string,
	daemon: CommandDaemon,
	read: (bytes: number) => void,
) => Promise<WholeSession>;
