/** Applies user actions to a history: rewind, undo, checkpoints, rollback, pins. */

import { createLocationKey, toUri } from '../core/files/folder.ts';
import { type Checkpoint, requireSeq, type State } from '../core/history/state.ts';
import {
	createRewindStep,
	createRollbackStep,
	findRewindEnd,
	findStepsToUndo,
	listVisibleIdsFrom,
	requireCheckpoint,
} from '../core/history/undo.ts';
import { pickDefined } from '../core/shape.ts';
import type { OwnParams } from '../protocol/declaration.ts';
import type { CheckpointSummary, PinParams } from '../protocol/history.ts';
import type { ClientContext } from './clientContext.ts';
import { commit } from './commit.ts';
import { requireWritableJournal, type Session } from './session.ts';

/** Removes all messages after a message from the history, or all messages if the id is empty; returns the removed ids. */
export async function rewindSession(session: Session, messageId: string): Promise<string[]> {
	const { state } = session;
	const step = createRewindStep(state, messageId, session.services.now());
	if (!step) return [];
	const hidden = listVisibleIdsFrom(state, findRewindEnd(state, messageId));
	await commit(session, { t: 'step', step });
	return hidden;
}

/**
 * Undoes a step, and later steps that depend on it. Returns the ids of the undone steps, newest first.
 * @param isRestore whether automatic compaction continues, since no user asked for the undo
 */
export async function undoStep(
	session: Session,
	client: ClientContext,
	id?: string,
	isRestore = false,
): Promise<string[]> {
	requireWritableJournal(session);
	const steps = findStepsToUndo(session.state, id);
	const at = session.services.now();
	const durable = commit(session, { t: 'undo', steps, at, ...(isRestore && { isRestore }) });
	// Undoing a rollback restores checkpoints, so there may be too many.
	await Promise.all([durable, ...dropCheckpoints(session, client)]);
	return steps;
}

function listUsableCheckpoints(state: State): Checkpoint[] {
	return [...state.checkpoints.values()].filter((checkpoint) => checkpoint.droppedBy === undefined);
}

/** Drops the least recently used checkpoints beyond the user's limit. */
function dropCheckpoints(session: Session, client: ClientContext): Promise<void>[] {
	const maxCheckpoints = client.getSettings().compaction.maxCheckpoints;
	const checkpoints = listUsableCheckpoints(session.state).sort(
		(a, b) => a.lastUsedVersion - b.lastUsedVersion,
	);
	return checkpoints
		.slice(0, Math.max(0, checkpoints.length - maxCheckpoints))
		.map(({ id }) => commit(session, { t: 'unmark', id }));
}

/** Sets a checkpoint; drops the least recently used one if there are too many. */
export async function createCheckpoint(
	session: Session,
	client: ClientContext,
	label?: string,
): Promise<string> {
	const id = session.services.createId();
	const at = session.services.now();
	const durable = commit(session, { t: 'mark', id, ...pickDefined({ label }), at });
	await Promise.all([durable, ...dropCheckpoints(session, client)]);
	return id;
}

/** Lists the checkpoints of a session, oldest first. */
export function listCheckpoints(state: State): CheckpointSummary[] {
	return listUsableCheckpoints(state).map(({ id: checkpointId, label, at, messageCount }) => {
		return { checkpointId, label, at, messageCount };
	});
}

/** Restores the history as it was at a checkpoint; returns the ids of the removed messages. */
export async function rollbackSession(session: Session, checkpointId: string): Promise<string[]> {
	const { state } = session;
	const checkpoint = requireCheckpoint(state, checkpointId);
	const step = createRollbackStep(state, checkpointId, session.services.now());
	if (!step) return [];
	const discarded = listVisibleIdsFrom(state, checkpoint.seq);
	await commit(session, { t: 'step', step });
	return discarded;
}

/** Pins or unpins messages and files; returns the ids of all pinned messages. */
export async function setPins(
	session: Session,
	{ messageIds = [], uris = [], pinned }: OwnParams<PinParams>,
): Promise<string[]> {
	const { state } = session;
	const rows = messageIds.map((id) => requireSeq(state, id, 'messageIds'));
	if (rows.length > 0 || uris.length > 0) {
		const keys = new Set(uris.map(createLocationKey));
		const pinnedUris = [...state.pinnedUris].filter((uri) => keys.has(createLocationKey(uri)));
		await commit(session, { t: 'pin', rows, uris: pinned ? uris.map(toUri) : pinnedUris, on: pinned });
	}
	return [...state.pins].sort((a, b) => a - b).flatMap((seq) => state.rows[seq]?.id ?? []);
}
