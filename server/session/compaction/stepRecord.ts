/** Converts the plan of a compaction to the record that the journal stores. */

import type { Plan } from '../../core/compact/plan/plan.ts';
import type { PlannedPatch } from '../../core/compact/plannedPatches.ts';
import { getNextLayerNumber } from '../../core/history/cut.ts';
import { evolve } from '../../core/history/evolve.ts';
import type { StoredPatch, StoredRow, StoredStep } from '../../core/history/record.ts';
import type { State } from '../../core/history/state.ts';
import { withoutUndefined } from '../../core/shape.ts';
import { encodeBody } from '../body.ts';
import type { SessionServices } from '../services.ts';

function createStoredRow(
	patch: PlannedPatch,
	state: State,
	digest: (text: string) => string,
	body: number,
): StoredRow | undefined {
	const { replacement: show } = patch;
	if (!show) return undefined;
	const own = state.rows[patch.from];
	const inPlace = own !== undefined && own.id === show.message.id;
	const content = JSON.stringify(show.message.content);
	return {
		...(inPlace && {
			...(own.calls && { calls: own.calls }),
			...withoutUndefined({ answers: own.answers, tool: own.tool }),
			...(own.isError && { isError: own.isError }),
			...(own.stopReason !== undefined && { stopReason: own.stopReason }),
			...(own.touches && { touches: own.touches }),
			...(own.injected && { injected: own.injected }),
			...(own.at !== undefined && { at: own.at }),
		}),
		id: show.message.id,
		role: show.message.role,
		counts: show.counts,
		made: show.made,
		// A replacement gets the digest of the replaced message, so that a repeated result is still recognized.
		digest: inPlace ? own.digest : digest(content),
		chars: content.length,
		body,
	};
}

/** Returns the record of a plan, and the serialized messages that the plan creates. */
export function createStepRecord(
	services: Pick<SessionServices, 'digest' | 'now'>,
	state: State,
	made: Plan,
	{ id, cause }: { id: string; cause: 'compact' | 'recover' },
): { step: StoredStep; bodies: string[] } {
	const bodies: string[] = [];
	const no = getNextLayerNumber(state);
	const patches = made.patches.map((patch): StoredPatch => {
		const show = createStoredRow(patch, state, services.digest, bodies.length);
		if (patch.replacement && show) {
			const group =
				show.made === 'summary' ? { condenseId: id } : show.made === 'marker' ? { truncationId: id } : {};
			bodies.push(encodeBody('contextd', { ...patch.replacement.message, ...group }));
		}
		const behind = patch.stage === 'summarize' ? 'summary' : 'marker';
		return {
			from: patch.from,
			to: patch.to,
			...(show && { show }),
			...((!show || show.made === 'summary' || show.made === 'marker') && { behind }),
		};
	});
	const step: StoredStep = {
		id,
		cause,
		at: services.now(),
		sheet: { no, lossy: true, patches },
		on: [no],
		off: [],
	};
	return { step, bodies };
}

/** Returns the state after a step; the given state is not changed. */
export function computeStateAfterStep(state: State, step: StoredStep): State {
	const copy: State = {
		...state,
		layers: new Map(state.layers),
		active: new Set(state.active),
		steps: [...state.steps],
		checkpoints: new Map(state.checkpoints),
	};
	const nowhere = { offset: 0, length: 0, crc: 0 };
	const bodies = (step.sheet?.patches ?? []).map(() => nowhere);
	evolve(copy, { t: 'step', step }, bodies);
	return copy;
}
