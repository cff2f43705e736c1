/** Stage "summarize": everything older than the kept tail becomes one message, made from the originals. */

import type { IdentifiedMessage } from '../../protocol/conversation.ts';
import { isFromUser } from '../history/protection.ts';
import type { Seq } from '../history/record.ts';
import type { Row, Unit } from '../history/row.ts';
import { isShownInPlace } from '../history/seen.ts';
import {
	type Draft,
	type Effects,
	groupsOf,
	hide,
	type Item,
	originalOf,
	roomOf,
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

/** Raw tokens of the longest summary: what room there is beyond goes to the tail. */
const longestSummary = 64_000;

/** Share of the room beside protected messages that the newest may take even where the tail's own share is less. */
const recentShare = 0.2;

/**
 * Share of that room that is the summary's before the tail's own share is taken: on recorded sessions a longer tail
 * cost more facts than it kept.
 */
const summaryFirst = 1 / 3;

/** Tokens that a tail may take so that a summary still fits beside it. */
export function mostOfTail(draft: Draft): number {
	const room = roomOf(draft);
	return Math.max(recentShare * room, room - longestSummary * draft.meter.factor);
}

/** The items that a summary will replace, oldest first; what is protected among them stays in its place. */
export async function summarizable(
	draft: Draft,
	policy: Policy,
	{ pause }: Pick<Effects, 'pause'>,
): Promise<Item[]> {
	const groups = groupsOf(draft.items);
	await pause();
	const room = roomOf(draft);
	const share = policy.keepRecentRatio * (1 - summaryFirst) * room;
	const budget = Math.max(share, room - longestSummary * draft.meter.factor);
	const start = tailStart(groups, budget, policy.recentCount, recentShare * room);
	await pause();
	return groups.slice(0, start).flatMap((group) => (group.some((item) => item.protected) ? [] : group));
}

/**
 * The rows that a summary of these items stands for, in order: the items' own, and all that stands behind the older
 * summaries and markers among them; but not what stays visible.
 */
function originalRows(
	draft: Draft,
	range: readonly Item[],
	visible: readonly Item[],
	behind: (unit: Unit) => readonly Row[],
): Row[] {
	const seen = new Set(visible.map((item) => item.unit.from));
	const found: Row[] = [];
	let isInOrder = true;
	const take = (row: Row): void => {
		if (seen.has(row.seq)) return;
		isInOrder &&= row.seq > (found.at(-1)?.seq ?? -1);
		found.push(row);
	};
	for (const item of range) {
		if (isShownInPlace(item.unit, draft.rows)) take(originalOf(draft, item));
		else for (const row of behind(item.unit)) take(row);
	}
	// Nearly always they are: a million of them need not be put in order.
	if (isInOrder) return found;
	return [...new Map(found.map((row) => [row.seq, row])).values()].sort((a, b) => a.seq - b.seq);
}

/** The turn that the range's end cuts in two: the first row of it, be it summarized or protected. */
function turnPrefixOf(draft: Draft, range: readonly Item[]): Seq | undefined {
	const last = range.at(-1);
	if (!last) return undefined;
	const isSaid = ({ unit }: Item): boolean => isFromUser(unit.row);
	const at = draft.items.indexOf(last);
	const next = draft.items[at + 1];
	if (!next || isSaid(next)) return undefined;
	return draft.items.slice(0, at + 1).findLast(isSaid)?.unit.from;
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
	behind: (unit: Unit) => readonly Row[],
	id: string,
	write: Summarize,
): Promise<boolean> {
	const first = range[0];
	if (!first) return false;
	const replaced = range.reduce((sum, item) => sum + item.before, 0);
	for (const item of range) hide(draft, item, 'summarize');
	const weight = weightAt(draft, first.unit.from);
	const message = (content: string): IdentifiedMessage => ({
		id,
		role: 'user',
		content,
		metadata: { isSummary: true, truncated: true },
	});
	const framing = effects.countMessage(message('')).text;
	const most = Math.min(draft.target - draft.tokens, replaced * policy.maxGrowthRatio);
	const room = Math.min(longestSummary, most / Math.max(weight, 0.01)) - framing;
	if (room >= smallestSummary) {
		await effects.pause();
		const visible = draft.items.filter((item) => !item.hidden);
		const rows = originalRows(draft, range, visible, behind);
		await effects.pause();
		const text = await write({
			rows,
			visible: visible.map((item) => originalOf(draft, item)),
			turnPrefix: turnPrefixOf(draft, range),
			tokens: Math.floor(room),
			instructions: policy.instructions,
			sections: policy.summarySections,
		});
		const shown = message(text);
		const counts = effects.countMessage(shown);
		const tokens = weighCounts(draft, first.unit.from, counts);
		if (text !== '' && tokens < replaced * policy.maxGrowthRatio) {
			draft.tokens += tokens;
			draft.standIns.summarize = { stage: 'summarize', message: shown, counts, made: 'summary' };
			return true;
		}
	}
	for (const item of range) unhide(draft, item);
	return false;
}
