/** Derives from a session's rows and steps which transcript entries it has. */

import type { Seq } from '../../core/history/record.ts';
import type { State } from '../../core/history/state.ts';

export interface MirroredMessage {
	t: 'message';
	/** The row's id: the message's id in the transcript, with the suffix `~2`, `~3` … if that id was in use. */
	rowId: string;
	seq: Seq;
	digest: string;
}

export interface MirroredCompaction {
	t: 'compaction';
	/** Distinguishes the compaction from others. */
	key: string;
	/** Number of the compaction's layer; absent if the compaction hid nothing. */
	layer?: number;
	/** Number of rows when the compaction was stored. */
	rowCount: Seq;
}

/** One transcript entry as stored in the session. */
export type MirroredEntry = MirroredMessage | MirroredCompaction;

const compactionIdPattern = /^agent-compaction-(\d+)-([\w-]+?)(?:\.\d+)?$/;
const rewindIdPattern = /^agent-rewind-\d+$/;

/** Returns the id of a row that an agent's own compaction adds after all existing rows. */
export function createCompactionRowId(stepId: string, index: number): string {
	return `${stepId}.${index}`;
}

/** Returns the id of a step that repeats a rewind of the transcript. */
export function createAgentRewindId(no: number): string {
	return `agent-rewind-${no}`;
}

/** Whether a row represents the transcript's message with this id. */
export function isRowOfMessage(rowId: string, messageId: string): boolean {
	return rowId === messageId || (rowId.startsWith(`${messageId}~`) && /~\d+$/.test(rowId));
}

/** Returns an unused id for the row of a transcript's message: the message's id if possible. */
export function findUnusedRowId(messageId: string, isTaken: (id: string) => boolean): string {
	let id = messageId;
	for (let turn = 2; isTaken(id); turn++) id = `${messageId}~${turn}`;
	return id;
}

/** Removes the entries that a rewind hides: messages from row `from` on, and compactions that it reverts. */
export function removeCutEntries(entries: MirroredEntry[], from: Seq, reverted: readonly number[]): void {
	for (let last = entries.at(-1); last !== undefined; last = entries.at(-1)) {
		const isCut =
			last.t === 'message'
				? last.seq >= from
				: last.rowCount > from ||
					(last.layer === undefined ? last.rowCount >= from : reverted.includes(last.layer));
		if (!isCut) return;
		entries.pop();
	}
}

/** Lists the transcript's entries that a session has, in order, regardless of undos and contextd's compactions. O(rows). */
export function listMirroredEntries(state: State): MirroredEntry[] {
	const entries: MirroredEntry[] = [];
	let nextSeq: Seq = 0;
	const addRows = (to: Seq): void => {
		for (; nextSeq < to; nextSeq++) {
			const row = state.rows[nextSeq];
			if (!row) continue;
			const key = compactionIdPattern.exec(row.id)?.[2];
			const last = entries.at(-1);
			if (key === undefined) entries.push({ t: 'message', rowId: row.id, seq: nextSeq, digest: row.digest });
			else if (last?.t !== 'compaction' || last.key !== key)
				entries.push({ t: 'compaction', key, rowCount: nextSeq });
		}
	};
	for (const step of state.steps) {
		addRows(step.rowCount);
		const key = compactionIdPattern.exec(step.id)?.[2];
		if (key !== undefined)
			entries.push({ t: 'compaction', key, layer: step.sheet?.no, rowCount: step.rowCount });
		else if (rewindIdPattern.test(step.id)) {
			removeCutEntries(entries, step.sheet?.patches[0]?.from ?? step.rowCount, step.off);
		}
	}
	addRows(state.rows.length);
	return entries;
}
