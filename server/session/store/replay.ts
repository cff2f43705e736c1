/** Rebuilds a session's state from the records of its journal. */

import { errorText, Failure } from '../../core/failure.ts';
import { evolve } from '../../core/history/evolve.ts';
import type { JournalRecord } from '../../core/history/record.ts';
import type { State } from '../../core/history/state.ts';
import type { StoredRecord } from '../ports.ts';
import type { SessionServices } from '../services.ts';

/**
 * Returns a function that applies records of a journal to a state, in place.
 *
 * A record that does not fit the state is skipped. Throws `StorageFailed` for a value that is not a record.
 */
export function createReplay(
	{ log }: Pick<SessionServices, 'log'>,
	id: string,
	state: State,
): (record: StoredRecord) => void {
	function skip(reason: string): void {
		log.warn(`session "${id}": skipping a record of its journal: ${reason}`);
	}

	return ({ value, bodies }) => {
		if (!isRecord(value))
			throw new Failure('StorageFailed', 'the journal contains a value that is not a record');
		if (isDuplicate(state, value)) {
			skip('it is a duplicate');
			return;
		}
		try {
			evolve(state, value, bodies);
		} catch (error) {
			// When an older version repaired the journal, it may have dropped records to which this record refers.
			skip(errorText(error));
		}
	};
}

function isRecord(value: unknown): value is JournalRecord {
	return typeof value === 'object' && value !== null && 't' in value;
}

/** Whether a record was already applied, since part of a journal may have been copied twice. */
function isDuplicate(state: State, record: JournalRecord): boolean {
	if (record.t === 'append')
		return record.rows.length > 0 && record.rows.every(({ id }) => state.index.has(id));
	return record.t === 'step' && state.steps.some(({ id }) => id === record.step.id);
}
