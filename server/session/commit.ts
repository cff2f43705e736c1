/** Changes a session: writes a record to its journal and applies the record to its state. Nothing else does. */

import { errorText, Failure } from '../core/failure.ts';
import { evolve } from '../core/history/evolve.ts';
import type { JournalRecord } from '../core/history/record.ts';
import type { State } from '../core/history/state.ts';
import { requireWritableJournal, type Session } from './session.ts';

/**
 * Writes a record and applies it; resolves once the record is on disk.
 *
 * The state includes the record at once, so later calls see the change. If storage fails, the session is marked as
 * broken, and the next call reopens it from what is on disk.
 * @param nextState the state that results from the record, if the caller already computed it
 */
export async function commit(
	session: Session,
	record: JournalRecord,
	bodies: readonly string[] = [],
	nextState?: State,
): Promise<void> {
	const journal = requireWritableJournal(session);
	const { bodies: refs, durable } = appendOrBreak(session, () => journal.append(record, bodies));
	evolve(session.state, record, refs, nextState);
	session.services.files?.sync(session);
	session.services.events.notifyChanged(session.id);
	try {
		await durable;
	} catch (error) {
		session.brokenBy = toFailure(session, error);
		throw session.brokenBy;
	}
}

/** Appends to the journal, and marks the session as broken if the journal no longer accepts records. */
function appendOrBreak<T>(session: Session, append: () => T): T {
	try {
		return append();
	} catch (error) {
		// The journal refuses a record that is too large, but still accepts others.
		if (error instanceof Failure && error.kind !== 'TooLarge') session.brokenBy = error;
		throw error;
	}
}

function toFailure(session: Session, error: unknown): Failure {
	if (error instanceof Failure) return error;
	return new Failure(
		'StorageFailed',
		`session "${session.id}" could not be written: ${errorText(error)}`,
		{ sessionId: session.id },
		error,
	);
}
