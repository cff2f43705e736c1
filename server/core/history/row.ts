/** The rows of a session. A row is a message as the journal stores it, with its position in the session. */

import { limitTouches } from '../files/touches/lineRange.ts';
import type { BodyRef, Seq, StoredRow } from './record.ts';

/** A message at its position: an original, or a message that replaces originals. */
export interface Row extends StoredRow {
	/** The message's ordinal; for a row that replaces several rows, the first one's ordinal. */
	seq: Seq;
	/** First row of this row's tool batch (calls and their results); outside a batch, the row's `seq`. */
	batch: Seq;
	ref: BodyRef;
}

/** What is visible at one position of the history. */
export interface Unit {
	row: Row;
	/** The rows [from, to) that the unit shows. */
	from: Seq;
	to: Seq;
	/** Number of the layer that the unit belongs to; 0 for an original. */
	layer: number;
}

/** Whether a row is a summary or marker, which replaces several rows. */
export function replacesSeveralRows({ made }: Pick<Row, 'made'>): boolean {
	return made === 'summary' || made === 'marker';
}

/** A row with all fields of `Row`, of which optional ones may be undefined. */
type WholeRow = { [Field in keyof Required<Row>]: Row[Field] };

/**
 * Returns the row of a stored message; `batch` is the first row of its tool batch.
 *
 * All rows have one object shape: a pass over 100,000 rows of many shapes takes three times as long.
 */
export function createRow(storedRow: StoredRow, seq: Seq, batch: Seq, ref: BodyRef): Row {
	const row: WholeRow = {
		seq,
		batch,
		ref,
		id: storedRow.id,
		role: storedRow.role,
		counts: storedRow.counts,
		digest: storedRow.digest,
		chars: storedRow.chars,
		body: storedRow.body,
		part: storedRow.part,
		exact: storedRow.exact,
		calls: storedRow.calls,
		answers: storedRow.answers,
		tool: storedRow.tool,
		isError: storedRow.isError,
		injected: storedRow.injected,
		pinned: storedRow.pinned,
		usage: storedRow.usage,
		stopReason: storedRow.stopReason,
		at: storedRow.at,
		made: storedRow.made,
		touches: storedRow.touches && limitTouches(storedRow.touches),
		shows: storedRow.shows && limitTouches(storedRow.shows),
	};
	return row;
}
