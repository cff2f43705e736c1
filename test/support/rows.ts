/** Short ways to write the records of a session in tests. */

import { evolve } from '../../server/core/history/evolve.ts';
import type { BodyRef, JournalRecord, StoredRow } from '../../server/core/history/record.ts';
import { createEmptyState, type State } from '../../server/core/history/state.ts';

const nowhere: BodyRef = { offset: 0, length: 0, crc: 0 };

/** Returns a row with an id and, by default, 10 raw tokens of text. */
export function row(id: string, more: Partial<StoredRow> = {}): StoredRow {
	return {
		id,
		role: 'user',
		counts: { text: 10, calls: 0, images: 0 },
		digest: id,
		chars: 40,
		body: 0,
		...more,
	};
}

/** Returns an assistant row that makes calls with these ids. */
export function callRow(id: string, callIds: readonly string[], more: Partial<StoredRow> = {}): StoredRow {
	return row(id, {
		role: 'assistant',
		calls: callIds.map((callId) => ({ id: callId, name: 'tool' })),
		...more,
	});
}

/** Returns the result of a call. */
export function resultRow(id: string, answers: string, more: Partial<StoredRow> = {}): StoredRow {
	return row(id, { role: 'tool', answers, tool: 'tool', ...more });
}

/** Applies records to a state as a journal does. */
export function apply(state: State, ...records: JournalRecord[]): State {
	for (const record of records) evolve(state, record, [nowhere]);
	return state;
}

/** Returns a state with these rows. */
export function stateWith(...rows: StoredRow[]): State {
	return apply(
		createEmptyState(),
		{
			t: 'open',
			v: 1,
			info: { sessionId: 's', provider: 'anthropic', model: 'claude-sonnet-4', createdAt: 0 },
			measure: 'test',
		},
		{ t: 'append', at: 1, rows },
	);
}
