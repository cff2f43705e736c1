/** The writes that other processes asked for, as the records of their effects name them: each is done once. */

import type { JournalRecord, RecordedOperation } from './record.ts';

/** What one record of such a write did. */
export interface OperationEffect {
	t: JournalRecord['t'];
	/** Of the steps that it took or undid, or of the checkpoint that it set. */
	ids: readonly string[];
	answer?: unknown;
}

export type Operations = Map<string, OperationEffect[]>;

/** Whoever asks again does so within moments: of older writes nothing needs to be known. */
const mostRemembered = 500;

/** Takes note of a record of such a write; the oldest are forgotten. */
export function noteOperation(
	operations: Operations,
	record: JournalRecord,
	{ id, answer }: RecordedOperation,
): void {
	const effect = { t: record.t, ids: idsOf(record), ...(answer !== undefined && { answer }) };
	const effects = operations.get(id);
	if (effects) {
		effects.push(effect);
		return;
	}
	operations.set(id, [effect]);
	if (operations.size <= mostRemembered) return;
	for (const oldest of operations.keys()) {
		operations.delete(oldest);
		return;
	}
}

function idsOf(record: JournalRecord): readonly string[] {
	if (record.t === 'step') return [record.step.id];
	if (record.t === 'undo') return record.steps;
	return record.t === 'mark' ? [record.id] : [];
}
