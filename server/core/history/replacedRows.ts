/** Finds the messages that a summary or a truncation marker replaces. */

import type { Row } from './row.ts';
import type { Layer, Patch, State } from './state.ts';
import { listActiveLayers, markCutRows } from './view.ts';

type PatchGroup = NonNullable<Patch['behind']>;

/**
 * Returns 1 for each row that the summary or marker of a layer replaces, including the rows behind older summaries and
 * markers that it replaced. A `Set` of a million rows takes ten times as long.
 */
function markReplacedRows(state: State, layer: Layer, group: PatchGroup): Uint8Array {
	const isReplaced = new Uint8Array(state.rows.length);
	const markGroup = ({ patches }: Layer, marked: PatchGroup): void => {
		for (const { from, to, behind } of patches) if (behind === marked) isReplaced.fill(1, from, to);
	};
	markGroup(layer, group);
	for (const older of listActiveLayers(state).reverse()) {
		if (older.no >= layer.no) continue;
		for (const { from, show, behind } of older.patches) {
			if (show && behind && isReplaced[from]) markGroup(older, behind);
		}
	}
	return isReplaced;
}

/**
 * Returns the original rows that a summary or marker replaces, in order.
 *
 * Includes the rows of older summaries and markers that this one replaced, but not rows that a rewind or rollback
 * removed. Undefined if the id belongs to no summary or marker.
 */
export function findReplacedRows(state: State, id: string): Row[] | undefined {
	for (const layer of state.layers.values()) {
		const group = layer.patches.find((patch) => patch.show?.id === id)?.behind;
		if (!group) continue;
		const isReplaced = markReplacedRows(state, layer, group);
		const isCut = markCutRows(state);
		return state.rows.filter((_, seq) => isReplaced[seq] && !isCut[seq]);
	}
	return undefined;
}
