/** Tool batches: an assistant message with calls and all their results. No stage may split one. */

import { getOrInsert } from '../getOrInsert.ts';
import type { Seq } from './record.ts';
import type { Row } from './row.ts';
import type { State } from './state.ts';
import { areAllShownInPlace } from './unitLookup.ts';

/**
 * Maximum number of rows between a call and its result in one batch. A result further away stays outside the batch;
 * rendering moves the result to its call.
 */
export const maxBatchReachRows = 64;

/** Adds a new row (the last one) to its tool batch, and updates the list of unanswered calls. */
export function joinBatch(state: State, row: Row): void {
	for (const { id } of row.calls ?? []) getOrInsert(state.unansweredCalls, id, () => []).push(row.seq);
	if (row.answers === undefined) return;
	const caller = removeNewestCaller(state.unansweredCalls, row.answers);
	if (caller === undefined) return;
	const call = state.rows[caller];
	if (!call) return;
	if (row.seq - caller > maxBatchReachRows) return;
	// Ids repeat. If a newer call with this id was answered, this is a second result of the newer call.
	if (state.rows.slice(caller + 1, row.seq).some(({ calls }) => calls?.some(({ id }) => id === row.answers)))
		return;
	// A result cannot join a batch that a compaction or rewind has hidden in the meantime.
	if (!areAllShownInPlace(state, caller, row.seq)) return;
	for (let seq = caller + 1; seq <= row.seq; seq++) {
		const between = state.rows[seq];
		if (between) between.batch = call.batch;
	}
}

/** Removes and returns the newest assistant row whose call with this id has no result yet. */
function removeNewestCaller(unansweredCalls: Map<string, Seq[]>, callId: string): Seq | undefined {
	const callerSeqs = unansweredCalls.get(callId);
	const caller = callerSeqs?.pop();
	if (callerSeqs?.length === 0) unansweredCalls.delete(callId);
	return caller;
}

/** Returns the first row after a row's tool batch. */
export function findBatchEnd(rows: readonly Row[], seq: Seq): Seq {
	const batch = rows[seq]?.batch;
	let end = seq + 1;
	while (end < rows.length && rows[end]?.batch === batch) end++;
	return end;
}
