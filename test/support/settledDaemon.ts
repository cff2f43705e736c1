/** A daemon that has loaded its whole program. */

import { setTimeout } from 'node:timers/promises';
import { type Daemon, startDaemon } from './daemon.ts';

/** Milliseconds after which an idle daemon has certainly loaded the rest of its program. */
const loadedAfterMs = 2500;

/** Starts a daemon and waits until it has loaded its program, so that measured requests do not include that cost. */
export async function settledDaemon(file: string): Promise<Daemon> {
	const daemon = await startDaemon({ file });
	await setTimeout(loadedAfterMs);
	return daemon;
}
