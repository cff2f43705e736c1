/** The part of a history that a compaction is held to. */

import { Failure } from '../../core/failure.ts';
import type { Seq } from '../../core/history/record.ts';
import type { Unit } from '../../core/history/row.ts';
import { noMessage, type State } from '../../core/history/state.ts';
import type { MessageRange } from '../../protocol/compact.ts';

/** A part of the view, by the rows [from, to) that it lies in. */
export interface RangeOfRows {
	from: Seq;
	to: Seq;
	/** The same by ids. */
	told: MessageRange;
	warnings: string[];
}

function placeIn({ view, index }: State, id: string, param: string): number {
	const place = view.findIndex((unit) => unit.row.id === id);
	if (place >= 0) return place;
	if (!index.has(id)) throw noMessage(id, param);
	const message = `${param}: "${id}" is hidden; context/undo brings it back`;
	throw new Failure('MessageNotFound', message, { messageId: id });
}

/** Whether two neighbours must not be parted: a call and its result, or two results of one message. */
function isOneBatch(before: Unit | undefined, after: Unit | undefined): boolean {
	if (!before || !after) return false;
	const isMade = [before, after].some(({ row }) => row.made === 'summary' || row.made === 'marker');
	return !isMade && before.row.batch === after.row.batch;
}

/**
 * The rows of a range of visible messages, widened to whole batches of calls and results. Fails with
 * `MessageNotFound` where one of its ends is not visible, and with `InvalidParams` where it ends before it begins.
 */
export function rowsOfRange(state: State, range: MessageRange): RangeOfRows {
	const { view } = state;
	const first = placeIn(state, range.from, 'range.from');
	const last = placeIn(state, range.to, 'range.to');
	if (first > last) {
		throw new Failure(
			'InvalidParams',
			`range: expected "from" to stand before "to", but "${range.from}" stands behind "${range.to}"`,
		);
	}
	let start = first;
	while (isOneBatch(view[start - 1], view[start])) start--;
	let end = last;
	while (isOneBatch(view[end], view[end + 1])) end++;
	const told = { from: view[start]?.row.id ?? range.from, to: view[end]?.row.id ?? range.to };
	const isWider = start < first || end > last;
	return {
		from: view[start]?.from ?? 0,
		to: view[end]?.to ?? 0,
		told,
		warnings: isWider
			? [`range: widened to "${told.from}" to "${told.to}", since calls and their results stay together`]
			: [],
	};
}
