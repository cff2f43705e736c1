/** One compaction at a time in a session: whoever comes while one runs waits for it. */

import type { Session } from '../session.ts';

const lanes = new WeakMap<Session, Promise<void>>();

function ignore(): void {
	// Whoever waits in the lane only wants to know that it is free: how the work ended is told to its own caller.
}

/**
 * Runs work once all that was asked for before in this session is done. Called off while it waits, it never starts
 * and rejects at once; once it runs, it answers for itself. Work must not wait for the lane that it runs in.
 */
export function inLane<T>(session: Session, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
	const before = lanes.get(session) ?? Promise.resolve();
	return new Promise<T>((resolve, reject) => {
		const callOff = (): void => reject(signal.reason);
		if (signal.aborted) callOff();
		else signal.addEventListener('abort', callOff, { once: true });
		const turn = before.then(async () => {
			signal.removeEventListener('abort', callOff);
			if (!signal.aborted) await work().then(resolve, reject);
		});
		lanes.set(session, turn.then(ignore, ignore));
	});
}
