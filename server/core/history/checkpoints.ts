/** Checkpoints of a history, to which a user can roll back. */

import type { JournalRecord } from './record.ts';
import type { State } from './state.ts';

/** Adds a checkpoint of the current view to the state. */
export function addCheckpoint(state: State, { id, label, at }: Extract<JournalRecord, { t: 'mark' }>): void {
	state.checkpoints.set(id, {
		id,
		label,
		at,
		seq: state.rows.length,
		messageCount: state.view.length,
		active: [...state.active],
		lastUsedVersion: state.version,
	});
}

/** Marks the checkpoints newer than `id` as dropped by `stepId`, the rollback to `id`. */
export function dropNewerCheckpoints(state: State, id: string, stepId: string): void {
	const checkpoint = state.checkpoints.get(id);
	if (!checkpoint) return;
	checkpoint.lastUsedVersion = state.version;
	let isNewer = false;
	for (const other of state.checkpoints.values()) {
		if (isNewer && other.droppedBy === undefined) other.droppedBy = stepId;
		if (other === checkpoint) isNewer = true;
	}
}
