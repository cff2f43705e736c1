/** The rows of a session: what the journal stores about each message, with its position. */

import { limitTouches } from '../files/touches/lineRange.ts';
import type { BodyRef, Seq, StoredRow } from './record.ts';

/** A message at its position: an original, or what a layer shows instead. */
export interface Row extends StoredRow {
	/** The message's ordinal; for a row that replaces several, the ordinal of the first. */
	seq: Seq;
	/** First row of its tool batch (calls and their results); its own `seq` outside a batch. */
	batch: Seq;
	ref: BodyRef;
}

/** What is visible at one position of the history. */
export interface Unit {
	row: Row;
	/** The rows [from, to) that it shows. */
	from: Seq;
	to: Seq;
	/** Number of the layer that shows it; 0 for an original. */
	layer: number;
}

/** Whether the daemon made a row for several messages: a summary, or a marker. */
export function replacesSeveralRows({ made }: Pick<Row, 'made'>): boolean {
	return made === 'summary' || made === 'marker';
}

/** Every field is present, even if undefined. */
type WholeRow = { [Field in keyof Required<Row>]: Row[Field] };

/**
 * Returns the row of a stored message; `batch` is the first row of its tool batch.
 *
 * All rows have one object shape: a pass over 100,000 rows of many shapes takes three times as long.
 */
export function rowOf(stored: StoredRow, seq: Seq, batch: Seq, ref: BodyRef): Row {
	const row: WholeRow = {
		seq,
		batch,
		ref,
		id: stored.id,
		role: stored.role,
		counts: stored.counts,
		digest: stored.digest,
		chars: stored.chars,
		body: stored.body,
		part: stored.part,
		exact: stored.exact,
		calls: stored.calls,
		answers: stored.answers,
		tool: stored.tool,
		isError: stored.isError,
		injected: stored.injected,
		pinned: stored.pinned,
		usage: stored.usage,
		stopReason: stored.stopReason,
		at: stored.at,
		made: stored.made,
		touches: stored.touches && limitTouches(stored.touches),
		shows: stored.shows && limitTouches(stored.shows),
	};
	return row;
}
