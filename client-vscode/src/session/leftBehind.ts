/** Whether a session that mirrors a transcript is kept current. */

import type { Transcript } from '../../../server/protocol/transcript.ts';

/** When things happened. Milliseconds since the epoch. */
export interface Moments {
	/** This window had the transcript read. */
	readAt: number;
	/** The session's newest figures came. */
	figuresAt: number;
	now: number;
}

/** Milliseconds that another window is given to bring the session up to date. */
const patience = 5_000;

/**
 * Whether a transcript has grown, and nobody brings its session up to date: another window wrote the session, and is
 * gone. What this window's own daemon follows is never left behind.
 */
export function isLeftBehind(
	{ sessionId, updatedAt }: Transcript,
	{ readAt, figuresAt, now }: Moments,
): boolean {
	return sessionId === undefined && updatedAt > Math.max(readAt, figuresAt) && now - updatedAt > patience;
}
