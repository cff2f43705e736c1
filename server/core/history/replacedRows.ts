/** What stands behind a summary or a truncation marker: all the messages that it is shown for. */

import type { Seq } from './record.ts';
import type { Row } from './row.ts';
import type { Patch, Sheet, State } from './state.ts';
import { sheetsInForce } from './view.ts';

/** Sheets in force, lowest first, and what was gathered so far. */
interface Search {
	sheets: readonly Sheet[];
	/** Groups that were looked at, by sheet. */
	done: Set<string>;
	/** By row: 1 where it is among them; a set of a million takes ten times as long. */
	rows: Uint8Array;
}

function isWithin(patches: readonly Patch[], seq: Seq): boolean {
	return patches.some((patch) => patch.from <= seq && seq < patch.to);
}

/** Gathers the rows of a step's group, and of every older group whose summary or marker is among them. */
function gather(search: Search, sheet: Sheet, group: Patch['behind']): void {
	const name = `${sheet.no} ${group}`;
	if (search.done.has(name)) return;
	search.done.add(name);
	const patches = sheet.patches.filter((patch) => patch.behind === group);
	for (const { from, to } of patches) search.rows.fill(1, from, to);
	for (const older of search.sheets) {
		if (older.no >= sheet.no) return;
		for (const patch of older.patches) {
			if (patch.show && patch.behind && isWithin(patches, patch.from)) gather(search, older, patch.behind);
		}
	}
}

/** By row: 1 where a rewind or rollback cut it off. O(rows). */
function cutRows({ rows }: State, sheets: readonly Sheet[]): Uint8Array {
	const cut = new Uint8Array(rows.length);
	for (const { lossy, patches } of sheets) {
		if (!lossy) for (const { from, to } of patches) cut.fill(1, from, to);
	}
	return cut;
}

/**
 * The original rows that the summary or marker with this id stands for, in order, those of older ones that it
 * replaced among them; but not what a rewind or rollback cut off. Undefined where the id is of none.
 */
export function replacedRows(state: State, id: string): Row[] | undefined {
	for (const sheet of state.sheets.values()) {
		const group = sheet.patches.find((patch) => patch.show?.id === id)?.behind;
		if (!group) continue;
		const sheets = sheetsInForce(state);
		const search: Search = { sheets, done: new Set(), rows: new Uint8Array(state.rows.length) };
		gather(search, sheet, group);
		const cut = cutRows(state, sheets);
		const replaced: Row[] = [];
		for (let seq = 0; seq < search.rows.length; seq++) {
			const row = search.rows[seq] && !cut[seq] ? state.rows[seq] : undefined;
			if (row) replaced.push(row);
		}
		return replaced;
	}
	return undefined;
}
