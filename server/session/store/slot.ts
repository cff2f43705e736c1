/** The state of one session id in the store: its open session, and the calls for it. */

import type { Session } from '../session.ts';

export interface SessionSlot {
	readonly id: string;
	/** Resolves when every earlier call has started. */
	tail: Promise<unknown>;
	session?: Session;
	/** Calls that are not settled. */
	readonly calls: Set<Promise<unknown>>;
	/** Uses of the session: its calls, and work that keeps it open. */
	users: number;
	/** It was asked to be closed while it was in use. */
	leaving: boolean;
	closing?: Promise<void>;
}

/** Returns the slot of a session that was not asked for yet. */
export function createSlot(id: string): SessionSlot {
	return { id, tail: Promise.resolve(), users: 0, calls: new Set(), leaving: false };
}
