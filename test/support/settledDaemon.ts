/** A daemon that has read all of its program. */

import { setTimeout } from 'node:timers/promises';
import { type Daemon, startDaemon } from './daemon.ts';

/** Milliseconds in which a daemon that nobody asks anything has read the rest of its program, and more. */
const readAfter = 2500;

/** Starts a daemon, and gives it when it has read its program: what that costs is of its start, not of its requests. */
export async function settledDaemon(file: string): Promise<Daemon> {
	const daemon = await startDaemon({ file });
	await setTimeout(readAfter);
	return daemon;
}
