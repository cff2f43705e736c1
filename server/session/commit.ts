/** The one way to change a session: a record is written, and applied. */

import { errorText, Failure } from '../core/failure.ts';
import { evolve } from '../core/history/evolve.ts';
import type { JournalRecord } from '../core/history/record.ts';
import type { State } from '../core/history/state.ts';
import { operationFor, takeRecorded } from './operation.ts';
import { type Session, writable } from './session.ts';

/**
 * Writes a record and applies it; resolves once it is on disk. From the call on the state holds it: what is asked
 * next sees it. Where storage fails the session is broken, to be opened anew from what is on disk. What another
 * process asked for is written once: where its record stands there already, nothing is done.
 *
 * @param answer what that process is told, where the state alone does not tell it.
 * @param foreseen what the record made of a copy of the session's state as it is now.
 */
export async function commit(
	session: Session,
	record: JournalRecord,
	bodies: readonly string[] = [],
	answer?: unknown,
	foreseen?: State,
): Promise<void> {
	const records = writable(session);
	if (takeRecorded(session, record.t)) return;
	const named = namedAfterOperation(session, record, answer);
	const placed = named.t === 'append' ? { ...named, from: session.state.rows.length } : named;
	const { bodies: refs, durable } = appended(session, () => records.append(placed, bodies));
	evolve(session.state, named, refs, foreseen);
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
		if (!(error instanceof Failure) || !session.journal) throw error;
		// The journal refused this record alone, and takes others.
		if (error.kind === 'TooLarge') throw error;
		session.broken = error;
		// Of this record nothing was written: whoever holds the session now can be asked instead.
		throw error.data.isLost
			? new Failure(error.kind, error.message, { ...error.data, isOutdated: true })
			: error;
	}
}

function namedAfterOperation(session: Session, record: JournalRecord, answer: unknown): JournalRecord {
	const operation = operationFor(session, record.t);
	if (!operation) return record;
	operation.confirm();
	operation.written.set(record.t, (operation.written.get(record.t) ?? 0) + 1);
	return { ...record, op: { id: operation.id, ...(answer !== undefined && { answer }) } };
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
