/** A daemon that has loaded its whole program. */

import { setTimeout } from 'node:timers/promises';
import { type Daemon, startDaemon } from './daemon.ts';

/** Milliseconds in which an idle daemon certainly loads the rest of its program. */
const readAfter = 2500;

/** Starts a daemon and waits until it has loaded its program, whose cost belongs to the start and not to requests. */
export async function settledDaemon(file: string): Promise<Daemon> {
	const daemon = await startDaemon({ file });
	await setTimeout(readAfter);
	return daemon;
}
