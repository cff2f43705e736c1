/** What is going on with one session id. */

import type { Session } from '../session.ts';

/** A write that its holder may still do when it wakes. */
export interface UnansweredWrite {
	operation: string;
	/** When it was given up, in milliseconds since the epoch. */
	at: number;
}

export interface SessionPlace {
	readonly id: string;
	/** Resolves when everything that was asked before has started. */
	tail: Promise<unknown>;
	session?: Session;
	/** Calls that are not settled. */
	users: number;
	/** The same, to be waited for. */
	readonly calls: Set<Promise<unknown>>;
	/** It was asked to be closed while it was in use. */
	leaving: boolean;
	closing?: Promise<void>;
	/** Writes that its holder was asked for, which reads behind them are to see. */
	readonly handedOn: Set<Promise<unknown>>;
	/** Writes that have to be asked for again: those that come now wait for them. */
	redone: number;
	/** The holder that could not be asked, while it lives, and since when. Milliseconds since the epoch. */
	unheard?: { holder: unknown; since: number };
	/** Writes that ended without an answer, lately: whoever asks for one of them again means the same. */
	readonly unanswered: Map<string, UnansweredWrite>;
	/** The way from a holder that is gone to the next one, which may be this process. */
	regaining?: Promise<Session>;
}

/** The place of a session that nobody has asked for yet. */
export function newPlace(id: string): SessionPlace {
	return {
		id,
		tail: Promise.resolve(),
		users: 0,
		calls: new Set(),
		leaving: false,
		handedOn: new Set(),
		redone: 0,
		unanswered: new Map(),
	};
}
