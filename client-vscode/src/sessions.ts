/** Which session is shown for a folder. */

import type { SessionSummary } from '../../server/protocol/session.ts';

/** A session that was chosen by hand, or opened by an agent in this window, at a time (ms since the epoch). */
export interface SessionPick {
	sessionId: string;
	at: number;
}

export interface SessionChoice {
	/** By hand, kept across restarts. */
	chosen: SessionPick | null;
	/** The newest that an agent opened in this window. */
	opened: SessionPick | null;
	/** What is stored for the folder. */
	stored: readonly SessionSummary[];
}

/**
 * The session to show: what was chosen or opened last, as long as it is there; else the stored one that was
 * used last. Null where there is none.
 */
export function sessionToShow({ chosen, opened, stored }: SessionChoice): string | null {
	const newest = [chosen, opened]
		.filter((pick) => pick !== null)
		.sort((a, b) => b.at - a.at)
		.find((pick) => pick === opened || stored.some(({ sessionId }) => sessionId === pick.sessionId));
	if (newest) return newest.sessionId;
	const used = stored.filter(({ messageCount }) => messageCount > 0);
	return used.toSorted((a, b) => b.updatedAt - a.updatedAt)[0]?.sessionId ?? null;
}
