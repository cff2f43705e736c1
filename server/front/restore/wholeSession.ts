import type { RestoredSession } from '../../core/restore/restoredPage.ts';
import type { CommandDaemon } from '../console/daemon.ts';

/** A whole session, whose texts may be in a file until it is closed. */
export interface WholeSession extends RestoredSession {
	/** Removes the files of the session's texts. */
	close(): void;
}

/**
 * Reads a transcript or, through the daemon, a recording, from its start to its end.
 * @param onRead called with the number of bytes that were read so far
 */
export type OpenWholeSession = (
	path: string,
	daemon: CommandDaemon,
	onRead: (bytes: number) => void,
) => Promise<WholeSession>;
