/** A session's state out of the records of its journal, and over what is damaged in it. */

import { errorText, Failure } from '../../core/failure.ts';
import { evolve } from '../../core/history/evolve.ts';
import type { JournalRecord } from '../../core/history/record.ts';
import type { State } from '../../core/history/state.ts';
import type { Mend, StoredRecord } from '../ports.ts';
import type { World } from '../world.ts';
import { mendedAppend } from './mendedAppend.ts';

/** What takes a journal's records in. */
export interface Replay {
	/** Applies a record; one that fits nothing is passed over. Fails with `StorageFailed` where it is none. */
	take(record: StoredRecord): void;
	mend: Mend;
}

/** Folds a journal's records into a state, in place. */
export function createReplay(
	world: Pick<World, 'measures' | 'settings' | 'digest' | 'log'>,
	id: string,
	state: State,
): Replay {
	function passOver(why: string): void {
		world.log.warn(`session "${id}": a record of its journal is passed over: ${why}`);
	}

	return {
		take({ value, bodies }) {
			if (!isRecord(value))
				throw new Failure('StorageFailed', 'the journal holds something that is no record');
			if (isRepeated(state, value)) {
				passOver('it stands there twice');
				return;
			}
			try {
				evolve(state, value, bodies);
			} catch (error) {
				// What it speaks of is lost, be it since a time when the journal was last put right.
				passOver(errorText(error));
			}
		},
		mend: (lines, following) => mendedAppend(world, state, lines, firstRowOf(following)),
	};
}

function isRecord(value: unknown): value is JournalRecord {
	return typeof value === 'object' && value !== null && 't' in value;
}

/** The ordinal of the first row that some records append; undefined where none says. */
function firstRowOf(values: readonly unknown[]): number | undefined {
	for (const value of values) {
		if (isRecord(value) && value.t === 'append' && value.from !== undefined) return value.from;
	}
	return undefined;
}

/** Whether a record was applied before: a piece of a file may have been written twice. */
function isRepeated(state: State, record: JournalRecord): boolean {
	if (record.t === 'append')
		return record.rows.length > 0 && record.rows.every(({ id }) => state.index.has(id));
	return record.t === 'step' && state.steps.some(({ id }) => id === record.step.id);
}
