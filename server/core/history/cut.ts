/** Creates the steps that cut off the end of the history: rewind and rollback. */

import { Failure } from '../failure.ts';
import { findBatchEnd } from './batch.ts';
import type { Seq, StoredStep } from './record.ts';
import { type Checkpoint, requireSeq, type State } from './state.ts';
import { findFirstUnitFrom } from './unitLookup.ts';
import { markCutRows } from './view.ts';

/** Returns the number of the layer that the next step will add. */
export function getNextLayerNumber(state: State): number {
	return state.steps.length + 1;
}

/** Returns the ids of the visible messages from a row on. */
export function listVisibleIdsFrom(state: State, from: Seq): string[] {
	return state.view.slice(findFirstUnitFrom(state.view, from)).map((unit) => unit.row.id);
}

/** Returns the first row that a rewind to a message removes; 0 if the id is empty. */
export function findRewindEnd(state: State, messageId: string): Seq {
	return messageId === '' ? 0 : findBatchEnd(state.rows, requireSeq(state, messageId));
}

/** Returns the ids of all messages, in order, that no rewind or rollback removed, including compacted messages. O(rows). */
export function listUncutMessageIds(state: State): string[] {
	const isCut = markCutRows(state);
	return state.rows.flatMap(({ id }, seq) => (isCut[seq] ? [] : [id]));
}

/**
 * Returns the step that removes everything after a message, or everything if its id is empty.
 *
 * A tool batch stays whole. Layers over the message or across the cut are deactivated. Returns null if no row
 * follows. Fails with `MessageNotFound`.
 */
export function createRewindStep(state: State, messageId: string, at: number): StoredStep | null {
	const seq = messageId === '' ? -1 : requireSeq(state, messageId);
	const end = findRewindEnd(state, messageId);
	if (end >= state.rows.length) return null;
	const off = [...state.active].filter((no) => {
		const patches = state.layers.get(no)?.patches ?? [];
		const covers = patches.some((patch) => patch.from <= seq && seq < patch.to);
		return covers || (patches.some((patch) => patch.from < end) && patches.some((patch) => patch.to > end));
	});
	const no = getNextLayerNumber(state);
	return {
		id: `rewind-${no}`,
		cause: 'rewind',
		at,
		sheet: { no, lossy: false, patches: [{ from: end, to: state.rows.length }] },
		on: [no],
		off,
	};
}

/** Returns the checkpoint with this id. Throws `CheckpointNotFound`. */
export function requireCheckpoint(state: State, checkpointId: string): Checkpoint {
	const checkpoint = state.checkpoints.get(checkpointId);
	if (checkpoint && checkpoint.droppedBy === undefined) return checkpoint;
	throw new Failure('CheckpointNotFound', `checkpointId: no checkpoint "${checkpointId}" in this session`, {
		checkpointId,
	});
}

/**
 * Returns the step that restores the history of a checkpoint; null if nothing changed after it. Fails with
 * `CheckpointNotFound`.
 */
export function createRollbackStep(state: State, checkpointId: string, at: number): StoredStep | null {
	const checkpoint = requireCheckpoint(state, checkpointId);
	const checkpointLayers = new Set(checkpoint.active);
	const off = [...state.active].filter((no) => !checkpointLayers.has(no));
	const restoredLayers = checkpoint.active.filter((no) => !state.active.has(no));
	const cutsRows = checkpoint.seq < state.rows.length;
	if (!cutsRows && off.length === 0 && restoredLayers.length === 0) return null;
	const no = getNextLayerNumber(state);
	const sheet = { no, lossy: false, patches: [{ from: checkpoint.seq, to: state.rows.length }] };
	return {
		id: `rollback-${no}`,
		cause: 'rollback',
		at,
		...(cutsRows && { sheet }),
		on: cutsRows ? [...restoredLayers, no] : restoredLayers,
		off,
		mark: checkpointId,
	};
}
