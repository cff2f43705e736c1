/** The one way to change a session: a record is written, and applied. */

import { errorText, Failure } from '../core/failure.ts';
import { evolve } from '../core/history/evolve.ts';
import type { JournalRecord } from '../core/history/record.ts';
import type { State } from '../core/history/state.ts';
import { type Session, writable } from './session.ts';

/**
 * Writes a record and applies it; resolves once it is on disk. From the call on the state holds it: what is asked
 * next sees it. If storage fails the session is broken, and is opened again from what is on disk.
 *
 * @param foreseen what the record made of a copy of the session's state as it is now.
 */
export async function commit(
	session: Session,
	record: JournalRecord,
	bodies: readonly string[] = [],
	foreseen?: State,
): Promise<void> {
	const journal = writable(session);
	const { bodies: refs, durable } = appended(session, () => journal.append(record, bodies));
	evolve(session.state, record, refs, foreseen);
	session.world.files?.sync(session);
	session.world.events.changed(session.id);
	try {
		await durable;
	} catch (error) {
		session.broken = asFailure(session, error);
		throw session.broken;
	}
}

/** A journal that takes nothing more makes the session of no use. */
function appended<T>(session: Session, append: () => T): T {
	try {
		return append();
	} catch (error) {
		// A record that is too large is refused alone: the journal takes others.
		if (error instanceof Failure && error.kind !== 'TooLarge') session.broken = error;
		throw error;
	}
}

function asFailure(session: Session, error: unknown): Failure {
	if (error instanceof Failure) return error;
	return new Failure(
		'StorageFailed',
		`session "${session.id}" could not be written: ${errorText(error)}`,
		{ sessionId: session.id },
		error,
	);
}
