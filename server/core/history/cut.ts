/** Steps that cut the tail of the history off: rewind and rollback. */

import { Failure } from '../failure.ts';
import { batchEnd } from './batch.ts';
import type { Seq, StoredStep } from './record.ts';
import { type Checkpoint, type State, seqOf } from './state.ts';
import { sheetsInForce, unitFrom } from './view.ts';

/** The number that the next step's sheet will have. */
export function nextSheet(state: State): number {
	return state.steps.length + 1;
}

/** Ids of the visible messages from a row on. */
export function visibleFrom(state: State, from: Seq): string[] {
	return state.view.slice(unitFrom(state.view, from)).map((unit) => unit.row.id);
}

/** The row after the last that stays when everything after a message leaves; the first where its id is empty. */
export function rewindEnd(state: State, messageId: string): Seq {
	return messageId === '' ? 0 : batchEnd(state.rows, seqOf(state, messageId));
}

/** Ids of the messages that no cut took away, in order, whatever a compaction shows instead of them. O(rows). */
export function standingIds(state: State): string[] {
	const isCut = new Uint8Array(state.rows.length);
	for (const sheet of sheetsInForce(state)) {
		if (!sheet.lossy) for (const { from, to } of sheet.patches) isCut.fill(1, from, to);
	}
	return state.rows.flatMap(({ id }, seq) => (isCut[seq] ? [] : [id]));
}

/**
 * Everything after a message leaves the history, or everything where its id is empty; a tool batch stays whole. Sheets
 * over the message, or across the cut, are lifted. Nothing when no row lies after it.
 */
export function rewindStep(state: State, messageId: string, at: number): StoredStep | null {
	const seq = messageId === '' ? -1 : seqOf(state, messageId);
	const end = rewindEnd(state, messageId);
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
