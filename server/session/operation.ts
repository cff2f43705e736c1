/** A write that another process asked for: done once, however often it is asked for. */

import type { OperationEffect } from '../core/history/operations.ts';
import type { JournalRecord } from '../core/history/record.ts';
import type { Operation } from './holders.ts';
import type { Session } from './session.ts';

/** Records that follow from the state alone: they are written whenever they are due, whoever asked. */
const ownRecords: ReadonlySet<JournalRecord['t']> = new Set(['open', 'recounted', 'recount']);

/** The write that a record of that kind would belong to; undefined where the daemon works for itself. */
export function operationFor({ world }: Session, t: JournalRecord['t']): Operation | undefined {
	return ownRecords.has(t) ? undefined : world.operation?.();
}

/** Whether the write that is under way was asked for before, and came as far as a record of that kind. */
export function isRecorded(session: Session, t: JournalRecord['t']): boolean {
	const operation = operationFor(session, t);
	const effects = operation && session.state.operations.get(operation.id);
	return effects?.some((effect) => effect.t === t) ?? false;
}

/**
 * What the write that is under way did already by its next record of that kind, where it was asked for before and
 * came so far; undefined where that is still to be done.
 */
export function takeRecorded(session: Session, t: JournalRecord['t']): OperationEffect | undefined {
	const operation = operationFor(session, t);
	if (!operation) return undefined;
	const index = operation.written.get(t) ?? 0;
	const effects = session.state.operations.get(operation.id)?.filter((effect) => effect.t === t) ?? [];
	const effect = effects[index];
	if (effect) operation.written.set(t, index + 1);
	return effect;
}
