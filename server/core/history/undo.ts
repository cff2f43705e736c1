/** Takes back parts of a history: finds or creates the steps of an undo, a rewind, and a rollback to a checkpoint. */

import { Failure } from '../failure.ts';
import { findBatchEnd } from './batch.ts';
import type { JournalRecord, Seq, StoredStep } from './record.ts';
import { type Checkpoint, listLiveSteps, listTouched, type Patch, requireSeq, type State } from './state.ts';
import { findFirstUnitFrom } from './unitLookup.ts';
import { markCutRows } from './view.ts';

function haveOverlap(patches: readonly Patch[], others: readonly Patch[]): boolean {
	return patches.some((one) => others.some((other) => one.from < other.to && other.from < one.to));
}

/**
 * Returns the ids of a step and of every later step that touches the same rows and was not undone, newest first.
 *
 * Without an id, the step is the newest one. Steps that repeat changes of a transcript are undone only by their id.
 * Fails with `CompactionNotFound` if there is no such step.
 */
export function findStepsToUndo(state: State, id?: string): string[] {
	const liveSteps = listLiveSteps(state);
	const index =
		id === undefined
			? liveSteps.findLastIndex((step) => !step.mirrored)
			: liveSteps.findIndex((step) => step.id === id);
	const target = liveSteps[index];
	if (!target) throw createUndoFailure(state, id);
	const group = [target];
	const touchedPatches = listTouched(state, target);
	for (const laterStep of liveSteps.slice(index + 1)) {
		if (laterStep.mirrored) continue;
		const laterPatches = listTouched(state, laterStep);
		if (!haveOverlap(laterPatches, touchedPatches)) continue;
		group.push(laterStep);
		touchedPatches.push(...laterPatches);
	}
	return group.reverse().map((step) => step.id);
}

function createUndoFailure(state: State, id: string | undefined): Failure {
	if (id === undefined) return new Failure('CompactionNotFound', 'there is nothing to undo in this session');
	const isKnown = state.steps.some((step) => step.id === id);
	const reason = isKnown ? 'is undone already' : 'is no compaction, rollback or rewind of this session';
	return new Failure('CompactionNotFound', `compactionId: "${id}" ${reason}`, { compactionId: id });
}

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
	const off = [...state.activeLayers].filter((layerNo) => {
		const patches = state.layers.get(layerNo)?.patches ?? [];
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
	const checkpointLayers = new Set(checkpoint.activeLayers);
	const off = [...state.activeLayers].filter((layerNo) => !checkpointLayers.has(layerNo));
	const restoredLayers = checkpoint.activeLayers.filter((layerNo) => !state.activeLayers.has(layerNo));
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

/** Adds a checkpoint of the current view to the state. */
export function addCheckpoint(state: State, { id, label, at }: Extract<JournalRecord, { t: 'mark' }>): void {
	state.checkpoints.set(id, {
		id,
		label,
		at,
		seq: state.rows.length,
		messageCount: state.view.length,
		activeLayers: [...state.activeLayers],
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
