/** What a session that mirrors a transcript holds of it: worked out from its rows and steps alone. */

import type { Seq } from '../../core/history/record.ts';
import type { State } from '../../core/history/state.ts';

export interface MirroredMessage {
	t: 'message';
	/** The row's id: the transcript's, with `~2`, `~3` behind it where it was taken. */
	rowId: string;
	seq: Seq;
	digest: string;
}

export interface MirroredCompaction {
	t: 'compaction';
	/** What tells it from other compactions. */
	key: string;
	/** The sheet that it laid; absent where nothing was there to be hidden. */
	sheet?: number;
	/** Number of rows when it was taken. */
	rows: Seq;
}

/** One entry of the transcript as the session took it. */
export type MirroredEntry = MirroredMessage | MirroredCompaction;

const compactionId = /^agent-compaction-(\d+)-([\w-]+?)(?:\.\d+)?$/;
const rewindId = /^agent-rewind-\d+$/;

/** The id of a row that an agent's own compaction shows behind everything that was there. */
export function compactionRowId(stepId: string, index: number): string {
	return `${stepId}.${index}`;
}

/** The id of a step that mirrors a rewind. */
export function agentRewindId(no: number): string {
	return `agent-rewind-${no}`;
}

/** Whether a row stands for the transcript's message with that id. */
export function isRowOf(rowId: string, messageId: string): boolean {
	return rowId === messageId || (rowId.startsWith(`${messageId}~`) && /~\d+$/.test(rowId));
}

/** An id for a row of the transcript's message: its own where it is free. */
export function freeRowId(messageId: string, isTaken: (id: string) => boolean): string {
	let id = messageId;
	for (let turn = 2; isTaken(id); turn++) id = `${messageId}~${turn}`;
	return id;
}

/** The entries after a cut: those whose rows stay, and whose sheets stay. */
export function cutEntries(entries: MirroredEntry[], from: Seq, off: readonly number[]): void {
	for (let last = entries.at(-1); last !== undefined; last = entries.at(-1)) {
		const goes =
			last.t === 'message'
				? last.seq >= from
				: last.rows > from || (last.sheet === undefined ? last.rows >= from : off.includes(last.sheet));
		if (!goes) return;
		entries.pop();
	}
}

/** The transcript's entries that a session holds, in order; whatever people undid or compacted since. O(rows). */
export function mirroredEntries(state: State): MirroredEntry[] {
	const entries: MirroredEntry[] = [];
	let next: Seq = 0;
	const takeRows = (to: Seq): void => {
		for (; next < to; next++) {
			const row = state.rows[next];
			if (!row) continue;
			const key = compactionId.exec(row.id)?.[2];
			const last = entries.at(-1);
			if (key === undefined) entries.push({ t: 'message', rowId: row.id, seq: next, digest: row.digest });
			else if (last?.t !== 'compaction' || last.key !== key)
				entries.push({ t: 'compaction', key, rows: next });
		}
	};
	for (const step of state.steps) {
		takeRows(step.rows);
		const key = compactionId.exec(step.id)?.[2];
		if (key !== undefined) entries.push({ t: 'compaction', key, sheet: step.sheet?.no, rows: step.rows });
		else if (rewindId.test(step.id)) {
			cutEntries(entries, step.sheet?.patches[0]?.from ?? step.rows, step.off);
		}
	}
	takeRows(state.rows.length);
	return entries;
}
