/** Finds the steps that an undo reverts. */

import { Failure } from '../failure.ts';
import { listLiveSteps, listTouchedPatches, type Patch, type State } from './state.ts';

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
	const touched = listTouchedPatches(state, target);
	for (const laterStep of liveSteps.slice(index + 1)) {
		if (laterStep.mirrored) continue;
		const laterPatches = listTouchedPatches(state, laterStep);
		if (!haveOverlap(laterPatches, touched)) continue;
		group.push(laterStep);
		touched.push(...laterPatches);
	}
	return group.reverse().map((step) => step.id);
}

function createUndoFailure(state: State, id: string | undefined): Failure {
	if (id === undefined) return new Failure('CompactionNotFound', 'there is nothing to undo in this session');
	const isKnown = state.steps.some((step) => step.id === id);
	const reason = isKnown ? 'is undone already' : 'is no compaction, rollback or rewind of this session';
	return new Failure('CompactionNotFound', `compactionId: "${id}" ${reason}`, { compactionId: id });
}
