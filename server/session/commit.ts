/** The one way to change a session: a record is written, and applied. */

import { errorText, Failure } from '../core/failure.ts';
import { evolve } from '../core/history/evolve.ts';
import type { JournalRecord } from '../core/history/record.ts';
import { type Session, writable } from './session.ts';

/**
 * Writes a record and applies it; resolves once it is on disk. From the call on the state holds it: what is asked
 * next sees it. Where storage fails the session is broken, to be opened anew from what is on disk.
 */
export async function commit(
	session: Session,
	record: JournalRecord,
	bodies: readonly string[] = [],
): Promise<void> {
	const journal = writable(session);
	const placed = record.t === 'append' ? { ...record, from: session.state.rows.length } : record;
	const { bodies: refs, durable } = journal.append(placed, bodies);
	evolve(session.state, record, refs);
	session.world.files?.sync(session);
	session.world.events.changed(session.id);
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
		`session "${session.id}" could not be written: ${errorText(error)}`,
		{ sessionId: session.id },
		error,
	);
}
