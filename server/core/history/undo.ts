/** Taking steps back. */

import { Failure } from '../failure.ts';
import { liveSteps, type Patch, type State, type Step } from './state.ts';

function touchedBy(state: State, step: Step): Patch[] {
	return [...step.on, ...step.off].flatMap((no) => state.sheets.get(no)?.patches ?? []);
}

function overlaps(some: readonly Patch[], others: readonly Patch[]): boolean {
	return some.some((one) => others.some((other) => one.from < other.to && other.from < one.to));
}

/**
 * The steps to undo for one of them to be as if it had never happened: itself and every later live step that
 * touches what is being undone, newest first. Without an id: the newest live step. Steps that only mirror another
 * agent's transcript are undone by their own id alone.
 * Fails with `CompactionNotFound` when there is no such step.
 */
export function stepsToUndo(state: State, id?: string): string[] {
	const live = liveSteps(state);
	const index =
		id === undefined
			? live.findLastIndex((step) => !step.mirrored)
			: live.findIndex((step) => step.id === id);
	const target = live[index];
	if (!target) throw nothingToUndo(state, id);
	const group = [target];
	const touched = touchedBy(state, target);
	for (const later of live.slice(index + 1)) {
		if (later.mirrored) continue;
		const own = touchedBy(state, later);
		if (!overlaps(own, touched)) continue;
		group.push(later);
		touched.push(...own);
	}
	return group.reverse().map((step) => step.id);
}

function nothingToUndo(state: State, id: string | undefined): Failure {
	if (id === undefined) return new Failure('CompactionNotFound', 'there is nothing to undo in this session');
	const known = state.steps.some((step) => step.id === id);
	const why = known ? 'is undone already' : 'is no compaction, rollback or rewind of this session';
	return new Failure('CompactionNotFound', `compactionId: "${id}" ${why}`, { compactionId: id });
}
