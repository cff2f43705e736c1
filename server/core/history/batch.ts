/** Tool batches: the calls of an assistant message with their results, which no stage may part. */

import type { Seq } from './record.ts';
import type { Row } from './row.ts';
import { isSeenThrough } from './seen.ts';
import type { State } from './state.ts';

/**
 * A result that comes later than this many rows after its call does not draw what lies between into the batch:
 * such a pair is put together again when the history is rendered.
 */
export const longestReach = 64;

/** Puts a new row (the last one) into the batch it belongs to, and keeps track of what is unanswered. */
export function joinBatch(state: State, row: Row): void {
	for (const call of row.calls ?? []) {
		const waiting = state.unansweredCalls.get(call.id);
		if (waiting) waiting.push(row.seq);
		else state.unansweredCalls.set(call.id, [row.seq]);
	}
	if (row.answers === undefined) return;
	const caller = takeCaller(state.unansweredCalls, row.answers);
	if (caller === undefined) return;
	const call = state.rows[caller];
	if (!call) return;
	if (row.seq - caller > longestReach) return;
	// Ids repeat: a second result of a newer call is not the one that an older call never got.
	if (state.rows.slice(caller + 1, row.seq).some((between) => calls(between, row.answers))) return;
	// What a compaction or a rewind took away meanwhile cannot be kept together with what comes now.
	if (!isSeenThrough(state, caller, row.seq)) return;
	for (let seq = caller + 1; seq <= row.seq; seq++) {
		const between = state.rows[seq];
		if (between) between.batch = call.batch;
	}
}

function calls({ calls = [] }: Row, callId: string | undefined): boolean {
	return calls.some(({ id }) => id === callId);
}

/** The newest assistant row that still waits for an answer to this call id. */
function takeCaller(open: Map<string, Seq[]>, callId: string): Seq | undefined {
	const waiting = open.get(callId);
	const caller = waiting?.pop();
	if (waiting?.length === 0) open.delete(callId);
	return caller;
}

/** First row after the batch that a row belongs to. */
export function batchEnd(rows: readonly Row[], seq: Seq): Seq {
	const batch = rows[seq]?.batch;
	let end = seq + 1;
	while (end < rows.length && rows[end]?.batch === batch) end++;
	return end;
}
