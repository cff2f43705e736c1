/** Steps that cut the tail of the history off: rewind and rollback. */

import { Failure } from '../failure.ts';
import { batchEnd } from './batch.ts';
import type { Seq, StoredStep } from './record.ts';
import type { Checkpoint, State } from './state.ts';
import { seqOf } from './state.ts';
import { unitFrom } from './view.ts';

/** The number that the next step's sheet will have. */
export function nextSheet(state: State): number {
	return state.steps.length + 1;
}

/** Ids of the visible messages from a row on. */
export function visibleFrom(state: State, from: Seq): string[] {
	return state.view.slice(unitFrom(state.view, from)).map((unit) => unit.row.id);
}

/**
 * Everything after a message leaves the history; a tool batch stays whole. Sheets over the message, or across
 * the cut, are lifted. Nothing when no row lies after it.
 */
export function rewindStep(state: State, messageId: string, at: number): StoredStep | null {
	const seq = seqOf(state, messageId);
	const end = batchEnd(state.rows, seq);
	if (end >= state.rows.length) return null;
	const off = [...state.on].filter((no) => {
		const patches = state.sheets.get(no)?.patches ?? [];
		const over = patches.some((patch) => patch.from <= seq && seq < patch.to);
		return over || (patches.some((patch) => patch.from < end) && patches.some((patch) => patch.to > end));
	});
	const no = nextSheet(state);
	return {
		id: `rewind-${no}`,
		cause: 'rewind',
		at,
		sheet: { no, lossy: false, patches: [{ from: end, to: state.rows.length }] },
		on: [no],
		off,
	};
}

/** The checkpoint with this id; fails with `CheckpointNotFound`. */
export function checkpointOf(state: State, checkpointId: string): Checkpoint {
	const checkpoint = state.checkpoints.get(checkpointId);
	if (checkpoint && checkpoint.droppedBy === undefined) return checkpoint;
	throw new Failure(
		'CheckpointNotFound',
		`checkpointId: "${checkpointId}" is no checkpoint of this session`,
		{
			checkpointId,
		},
	);
}

/** The history as it was at a checkpoint. Nothing when it is so already. */
export function rollbackStep(state: State, checkpointId: string, at: number): StoredStep | null {
	const checkpoint = checkpointOf(state, checkpointId);
	const then = new Set(checkpoint.on);
	const off = [...state.on].filter((no) => !then.has(no));
	const again = checkpoint.on.filter((no) => !state.on.has(no));
	const cuts = checkpoint.seq < state.rows.length;
	if (!cuts && off.length === 0 && again.length === 0) return null;
	const no = nextSheet(state);
	const sheet = { no, lossy: false, patches: [{ from: checkpoint.seq, to: state.rows.length }] };
	return {
		id: `rollback-${no}`,
		cause: 'rollback',
		at,
		...(cuts && { sheet }),
		on: cuts ? [...again, no] : again,
		off,
		mark: checkpointId,
	};
}
