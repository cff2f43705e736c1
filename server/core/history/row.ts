/** From what the journal keeps of a message to the row of it. */

import type { BodyRef, Seq, StoredRow } from './record.ts';
import type { Row } from './state.ts';

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
		touches: stored.touches,
		shows: stored.shows,
	};
	return row;
}
