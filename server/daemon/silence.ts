/** Decides when to stop waiting for a daemon that does not answer. */

import { setTimeout as wait } from 'node:timers/promises';
import { findHolder } from '../node/folderLock.ts';
import { isSuspended } from '../node/processIdentity.ts';

/** Milliseconds that a daemon may take to answer. */
export interface SilenceLimits {
	/** Limit if the system reports that the process of the daemon runs. */
	runningMs: number;
	/** Limit if the system cannot report whether the process of the daemon runs. */
	unknownMs: number;
}

/** A daemon that did not answer in time. */
export interface SilentDaemon {
	kind: 'silent';
	/** Process that holds the state folder; undefined if there is none. */
	pid: number | undefined;
}

/** Milliseconds between two checks of the process. The wait for a suspended process ends at the first check. */
const checkMs = 500;

/**
 * Resolves once the daemon of a state folder should have answered: after 0.5 s if its process is suspended, by
 * SIGSTOP or a debugger. Never resolves if the signal is aborted first.
 */
export async function waitForSilence(
	stateFolder: string,
	{ runningMs, unknownMs }: SilenceLimits,
	signal: AbortSignal,
): Promise<SilentDaemon> {
	for (let waitedMs = checkMs; ; waitedMs += checkMs) {
		await wait(checkMs, undefined, { signal, ref: false }).catch(() => {});
		if (signal.aborted) return new Promise(() => {});
		const holder = await findHolder(stateFolder);
		const isPaused = holder === undefined || holder.isElsewhere ? undefined : await isSuspended(holder.pid);
		if (isPaused === true || waitedMs >= (isPaused === false ? runningMs : unknownMs))
			return { kind: 'silent', pid: holder?.pid };
	}
}
