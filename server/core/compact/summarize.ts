/** Stage "summarize": everything older than the kept tail becomes one message, made from the originals. */

import type { IdentifiedMessage } from '../history/message.ts';
import type { Seq } from '../history/record.ts';
import type { Row } from '../history/state.ts';
import {
	type Draft,
	type Effects,
	groupsOf,
	hide,
	type Item,
	originalOf,
	unhide,
	weighCounts,
	weightAt,
} from './draft.ts';
import type { Policy } from './policy.ts';
import { tailStart } from './tail.ts';

/** What a summarizer is given. */
export interface SummaryTask {
	/** The original rows that the summary will stand for, in order. */
	rows: Row[];
	/** Rows that stay visible beside it. */
	visible: Row[];
	/** First row of a turn whose later part stays in the history; absent where no turn is cut in two. */
	turnPrefix?: Seq;
	/** Raw tokens that the text may have. */
	tokens: number;
	instructions?: string;
	sections: Policy['summarySections'];
}

/** Makes a summary's text; rejects where the compaction was cancelled. */
export type Summarize = (task: SummaryTask) => Promise<string>;

/** Summaries of fewer raw tokens than this say nothing worth the loss. */
const smallestSummary = 120;

/** Share of the target that the newest messages may take even where the tail's own share is less. */
const recentShare = 0.5;

/** The items that a summary will replace, oldest first; what is protected among them stays in its place. */
export function summarizable(draft: Draft, policy: Policy): Item[] {
	const groups = groupsOf(draft.items);
	const start = tailStart(
		groups,
		policy.keepRecentRatio * draft.target,
		policy.recentCount,
		recentShare * draft.target,
	);
	return groups.slice(0, start).flatMap((group) => (group.some((item) => item.protected) ? [] : group));
}

/** Rows that were visible or compacted away, not those that a rewind or rollback cut off. */
export function originalRows(
	rows: readonly Row[],
	items: readonly Item[],
	cut: (seq: Seq) => boolean,
): Row[] {
	const found: Row[] = [];
	for (const { unit } of items) {
		for (let seq = unit.from; seq < unit.to; seq++) {
			const row = rows[seq];
			if (row && !cut(seq)) found.push(row);
		}
	}
	return found;
}

/** The turn that the range's end cuts in two: its first row, where its user message is not the last one. */
function turnPrefixOf(draft: Draft, range: readonly Item[]): Seq | undefined {
	const last = range.at(-1);
	if (!last) return undefined;
	const next = draft.items[draft.items.indexOf(last) + 1];
	if (!next || (next.unit.row.role === 'user' && !next.unit.row.made)) return undefined;
	const start = range.findLast((item) => item.unit.row.role === 'user' && !item.unit.row.made);
	return start?.unit.from;
}

/**
 * Replaces a range by its summary. False where there is nothing to replace, no room for a summary that says
 * anything, or nothing would be saved; the draft is then as it was.
 */
export async function summarize(
	draft: Draft,
	range: readonly Item[],
	policy: Policy,
	effects: Effects,
	cut: (seq: Seq) => boolean,
	id: string,
	write: Summarize,
): Promise<boolean> {
	const first = range[0];
	if (!first) return false;
	const replaced = range.reduce((sum, item) => sum + item.before, 0);
	for (const item of range) hide(draft, item, 'summarize');
	const weight = weightAt(draft, first.unit.from);
	const room =
		Math.min(draft.target - draft.tokens, replaced * policy.maxGrowthRatio) / Math.max(weight, 0.01);
	if (room >= smallestSummary) {
		const text = await write({
			rows: originalRows(draft.rows, range, cut),
			visible: draft.items.filter((item) => !item.hidden).map((item) => originalOf(draft, item)),
			turnPrefix: turnPrefixOf(draft, range),
			tokens: Math.floor(room),
			instructions: policy.instructions,
			sections: policy.summarySections,
		});
		const message: IdentifiedMessage = {
			id,
			role: 'user',
			content: text,
			metadata: { isSummary: true, truncated: true },
		};
		const counts = effects.countMessage(message);
		const tokens = weighCounts(draft, first.unit.from, counts);
		if (text !== '' && tokens < replaced * policy.maxGrowthRatio) {
			draft.tokens += tokens;
			draft.standIns.summarize = { stage: 'summarize', message, counts, made: 'summary' };
			return true;
		}
	}
	for (const item of range) unhide(draft, item);
	return false;
}
