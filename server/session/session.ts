/** One open session: its state, and the journal behind it. */

import { Failure } from '../core/failure.ts';
import type { State } from '../core/history/state.ts';
import type { FollowedJournal, Journal } from './ports.ts';

export interface Session {
	id: string;
	state: State;
	/** Absent where another process holds the session and this one only follows. */
	journal?: Journal;
	/** Reads bodies, held or followed. */
	reader: Pick<FollowedJournal, 'read' | 'close'>;
	/** The recount that is under way. */
	recounting?: Promise<void>;
	/** Why it takes nothing more. */
	broken?: Failure;
	/** Attempts to recover since the last message. */
	recoveries: number;
}

/** Fails with `ReadOnlySession` where the session is only followed, or with what broke it. */
export function writable(session: Session): Journal {
	if (session.broken) throw session.broken;
	if (session.journal) return session.journal;
	throw new Failure(
		'ReadOnlySession',
		`session "${session.id}" is open read-only here: open it without readOnly to write`,
		{
			sessionId: session.id,
		},
	);
}
