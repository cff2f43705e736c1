/** The rows of a session: what the journal keeps of each message, in its place. */

import { limitTouches } from '../files/touches/lineRange.ts';
import type { BodyRef, Seq, StoredRow } from './record.ts';

/** A message in its place: an original, or what a sheet shows instead. */
export interface Row extends StoredRow {
	/** Its own ordinal; of a shown row, the first one it stands for. */
	seq: Seq;
	/** First row of the tool batch (calls and their results) it belongs to; its own `seq` outside one. */
	batch: Seq;
	ref: BodyRef;
}

/** What is visible in one place of the history. */
export interface Unit {
	row: Row;
	/** The rows that it stands for. */
	from: Seq;
	to: Seq;
	/** The sheet that shows it; 0 for an original. */
	sheet: number;
}

/** Whether the daemon made a row for several messages: a summary, or a marker. */
export function standsForSeveral({ made }: Pick<Row, 'made'>): boolean {
	return made === 'summary' || made === 'marker';
}

/** Every field is named, absent or not. */
type WholeRow = { [Field in keyof Required<Row>]: Row[Field] };

/**
 * The row of what was stored, `batch` being the first row of its tool batch. All rows have one shape: to walk over a
 * hundred thousand of many shapes takes three times as long.
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
