/** One open session: its state, the journal behind it, and the one way to change it. */

import { Failure } from '../core/failure.ts';
import { evolve } from '../core/history/evolve.ts';
import type { JournalRecord } from '../core/history/record.ts';
import type { State } from '../core/history/state.ts';
import type { FollowedJournal, Journal } from './ports.ts';
import type { World } from './world.ts';

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

/**
 * Writes a record and applies it; resolves once it is on disk. From the call on the state holds it: what is asked
 * next sees it. Where storage fails the session is broken, to be opened anew from what is on disk.
 */
export async function commit(
	world: World,
	session: Session,
	record: JournalRecord,
	bodies: readonly string[] = [],
): Promise<void> {
	const journal = writable(session);
	const { bodies: refs, durable } = journal.append(record, bodies);
	evolve(session.state, record, refs);
	world.files?.sync(session);
	world.events.changed(session.id);
	try {
		await durable;
	} catch (error) {
		session.broken = asFailure(session, error);
		throw session.broken;
	}
}

function asFailure(session: Session, error: unknown): Failure {
	if (error instanceof Failure) return error;
	return new Failure(
		'StorageFailed',
		`session "${session.id}" could not be written: ${error instanceof Error ? error.message : String(error)}`,
		{ sessionId: session.id },
		error,
	);
}
