/** The messages behind a summary or a truncation marker. */

import type { Seq } from './record.ts';
import type { Row } from './row.ts';
import type { Layer, Patch, State } from './state.ts';
import { activeLayers } from './view.ts';

/** Active layers, lowest first, and the rows gathered so far. */
interface Search {
	layers: readonly Layer[];
	/** Groups already visited, by layer. */
	done: Set<string>;
	/** By row: 1 if it was gathered. A `Set` of a million takes ten times as long. */
	rows: Uint8Array;
}

function isWithin(patches: readonly Patch[], seq: Seq): boolean {
	return patches.some((patch) => patch.from <= seq && seq < patch.to);
}

/** Gathers the rows of a step's group, and of every older group whose summary or marker is among them. */
function gatherGroup(search: Search, layer: Layer, group: Patch['behind']): void {
	const name = `${layer.no} ${group}`;
	if (search.done.has(name)) return;
	search.done.add(name);
	const patches = layer.patches.filter((patch) => patch.behind === group);
	for (const { from, to } of patches) search.rows.fill(1, from, to);
	for (const older of search.layers) {
		if (older.no >= layer.no) return;
		for (const patch of older.patches) {
			if (patch.show && patch.behind && isWithin(patches, patch.from))
				gatherGroup(search, older, patch.behind);
		}
	}
}

/** By row: 1 if a rewind or rollback removed it. O(rows). */
function cutRows({ rows }: State, layers: readonly Layer[]): Uint8Array {
	const cut = new Uint8Array(rows.length);
	for (const { lossy, patches } of layers) {
		if (!lossy) for (const { from, to } of patches) cut.fill(1, from, to);
	}
	return cut;
}

/**
 * Returns the original rows that a summary or marker replaces, in order.
 *
 * Includes the rows behind older summaries and markers that it replaced, but not rows that a rewind or rollback
 * removed. Undefined if the id belongs to no summary or marker.
 */
export function replacedRows(state: State, id: string): Row[] | undefined {
	for (const layer of state.layers.values()) {
		const group = layer.patches.find((patch) => patch.show?.id === id)?.behind;
		if (!group) continue;
		const layers = activeLayers(state);
		const search: Search = { layers, done: new Set(), rows: new Uint8Array(state.rows.length) };
		gatherGroup(search, layer, group);
		const cut = cutRows(state, layers);
		const replaced: Row[] = [];
		for (let seq = 0; seq < search.rows.length; seq++) {
			const row = search.rows[seq] && !cut[seq] ? state.rows[seq] : undefined;
			if (row) replaced.push(row);
		}
		return replaced;
	}
	return undefined;
}
