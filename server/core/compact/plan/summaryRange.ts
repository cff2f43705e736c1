/** What a summary stands for, and how it takes its place. */

import type { ContentPart, IdentifiedMessage } from '../../../protocol/conversation.ts';
import type { Seq } from '../../history/record.ts';
import type { Row } from '../../history/row.ts';
import {
	type Draft,
	type Effects,
	hide,
	type Item,
	isOf,
	isOneGroup,
	originalOf,
	roomOf,
	seenItems,
	tokensOf,
	unhide,
	unitOf,
	walk,
	weighCounts,
	weightAt,
} from '../draft.ts';
import type { Policy } from '../policy.ts';
import { reasoningBlock } from '../reasoningBlock.ts';
import { kind } from '../rowColumns.ts';
import { noSummary, type PlanInput, type StageReport, type SummaryTask, type SummaryText } from '../stage.ts';
import { withTags } from '../summaryShape.ts';
import { longestSummary, mostUseful, smallestSummary, summaryFirst } from '../tuning.ts';

/** Tokens that a tail may take so that a summary still fits beside it. */
export function mostOfTail(draft: Draft, policy: Policy): number {
	const room = roomOf(draft);
	return Math.max(policy.recentShare * room, room - longestSummary * draft.meter.factor);
}

/** The items that a summary will replace, oldest first; what is protected among them stays in its place. */
export async function summarizable(
	draft: Draft,
	policy: Policy,
	{ pause }: Pick<Effects, 'pause'>,
): Promise<Int32Array> {
	const room = roomOf(draft);
	const share = policy.keepRecentRatio * (1 - summaryFirst) * room;
	const rest = draft.tokens - draft.protectedTokens;
	const budget = Math.max(
		share,
		room - longestSummary * draft.meter.factor,
		(room - mostUseful * rest) / (1 - mostUseful),
	);
	const start = tailStart(draft, budget, policy.recentCount, policy.recentShare * room);
	await pause();
	return freeBefore(draft, start);
}

/** The items before one, but for groups that hold something that stays. */
function freeBefore(draft: Draft, end: Item): Int32Array {
	const { kinds } = draft;
	const found = new Int32Array(end);
	let length = 0;
	for (let from = 0, to = 1; from < end; from = to, to++) {
		while (to < end && isOneGroup(draft, to)) to++;
		let all = 0;
		for (let item = from; item < to; item++) all |= kinds[item] ?? 0;
		if (all & (kind.protected | kind.guarded)) continue;
		for (let item = from; item < to; item++) found[length++] = item;
	}
	return found.subarray(0, length);
}

/**
 * The rows that a summary of these items stands for, in order: the items' own, and all that stands behind the older
 * summaries and markers among them; but not what stays visible. In slices.
 */
async function originalRows(
	draft: Draft,
	range: Int32Array,
	visible: readonly Item[],
	{ behind, effects }: Pick<PlanInput, 'behind' | 'effects'>,
): Promise<Row[]> {
	const { rows, froms, kinds } = draft;
	/** By row: 1 where it is among them. */
	const taken = new Uint8Array(rows.length);
	for (let index = 0; index < range.length; index++) {
		if (index % walk === walk - 1) await effects.pause();
		const item = range[index] ?? 0;
		if ((kinds[item] ?? 0) & kind.inPlace) taken[froms[item] ?? 0] = 1;
		else for (const { seq } of behind(unitOf(draft, item))) taken[seq] = 1;
	}
	for (const item of visible) taken[froms[item] ?? 0] = 0;
	const found: Row[] = [];
	for (let seq = Math.max(0, taken.indexOf(1)); seq < taken.length; seq++) {
		if (seq % walk === walk - 1) await effects.pause();
		const row = taken[seq] === 1 ? rows[seq] : undefined;
		if (row) found.push(row);
	}
	return found;
}

function tokensBefore({ before }: Draft, range: Int32Array): number {
	let sum = 0;
	for (let index = 0; index < range.length; index++) sum += before[range[index] ?? 0] ?? 0;
	return sum;
}

function hideAll(draft: Draft, range: Int32Array): void {
	for (let index = 0; index < range.length; index++) hide(draft, range[index] ?? 0, 'summarize');
}

function unhideAll(draft: Draft, range: Int32Array): void {
	for (let index = 0; index < range.length; index++) unhide(draft, range[index] ?? 0);
}

/** The newest summary in a range, with what it stands for. */
function summaryIn(draft: Draft, range: Int32Array, behind: PlanInput['behind']): SummaryTask['before'] {
	const item = range.findLast(
		(one) => isOf(draft, one, kind.made) && unitOf(draft, one).row.made === 'summary',
	);
	if (item === undefined) return undefined;
	const unit = unitOf(draft, item);
	const held = new Uint8Array(draft.rows.length);
	for (const { seq } of behind(unit)) held[seq] = 1;
	return { row: unit.row, holds: (seq) => held[seq] === 1 };
}

/** The turn that the range's end cuts in two: the first row of it, be it summarized or protected. */
function turnPrefixOf(draft: Draft, range: Int32Array): Seq | undefined {
	const last = range.at(-1);
	if (last === undefined || last + 1 >= draft.view.length) return undefined;
	if (isOf(draft, last + 1, kind.said)) return undefined;
	for (let item = last; item >= 0; item--) if (isOf(draft, item, kind.said)) return draft.froms[item];
	return undefined;
}

/**
 * Replaces a range by its summary. Says why where there is nothing to replace, no room for a summary that says
 * anything, nobody who writes one, or nothing would be saved; the draft is then as it was.
 */
export async function summarizeRange(
	draft: Draft,
	range: Int32Array,
	{ policy, effects, behind, ids, summarize, thinking }: PlanInput,
): Promise<StageReport> {
	const first = range[0];
	if (first === undefined) return { reason: 'nothing to replace' };
	const start = unitOf(draft, first).from;
	const replaced = tokensBefore(draft, range);
	hideAll(draft, range);
	const weight = weightAt(draft, start);
	const block = thinking && reasoningBlock(thinking, range.length);
	const message = (content: string, more?: SummaryText['metadata']): IdentifiedMessage => {
		const text = policy.tags ? withTags(content) : content;
		const metadata = { ...more, isSummary: true, truncated: true };
		if (block === undefined) return { id: ids.summary, role: 'user', content: text, metadata };
		const parts: ContentPart[] = [
			{ type: 'reasoning', text: block },
			{ type: 'text', text },
		];
		return { id: ids.summary, role: 'assistant', content: parts, metadata };
	};
	const framing = effects.countMessage(message('')).text;
	const most = Math.min(draft.target - draft.tokens, replaced * policy.maxGrowthRatio);
	const room = Math.min(longestSummary, most / Math.max(weight, 0.01)) - framing;
	if (room >= smallestSummary) {
		await effects.pause();
		const visible = seenItems(draft);
		const rows = await originalRows(draft, range, visible, { behind, effects });
		await effects.pause();
		const { text, metadata, failure } = await summarize({
			rows,
			before: summaryIn(draft, range, behind),
			visible: visible.map((item) => originalOf(draft, item)),
			turnPrefix: turnPrefixOf(draft, range),
			replacedTokens: Math.round(replaced / Math.max(weight, 0.01)),
			tokens: Math.floor(room),
			targetTokens: Math.floor(draft.target / Math.max(weight, 0.01)),
			instructions: policy.instructions,
			headings: policy.headings,
		});
		const shown = message(text, metadata);
		const counts = effects.countMessage(shown);
		const tokens = weighCounts(draft, start, counts);
		if (text !== '' && tokens < replaced * policy.maxGrowthRatio) {
			draft.tokens += tokens;
			draft.standIns.summarize = { stage: 'summarize', message: shown, counts, made: 'summary' };
			return {};
		}
		unhideAll(draft, range);
		if (failure) return { reason: `${failure.code}: ${failure.message}`, failure };
		return noSummary('CONTEXT_GROWTH', 'no summary would be smaller than what it replaces');
	}
	unhideAll(draft, range);
	return noSummary('NO_TOKEN_BUDGET', 'no summary would be smaller than what it replaces');
}

/** What stays wherever the tail begins. */
const stays = kind.protected | kind.guarded;

/**
 * The first item of the tail: as many of the newest groups as fit into `budget` tokens, the last one always, and the
 * newest `recentCount` messages as long as they take no more than `recentBudget`. O(tail).
 */
function tailStart(draft: Draft, budget: number, recentCount: number, recentBudget: number): Item {
	const end = draft.view.length;
	let start = end;
	let tokens = 0;
	for (let from = end, to = end; to > 0; to = from) {
		from = to - 1;
		while (isOneGroup(draft, from)) from--;
		// What stays wherever the tail begins takes nothing of its budget.
		let own = 0;
		for (let item = from; item < to; item++) own += isOf(draft, item, stays) ? 0 : tokensOf(draft, item);
		tokens += own;
		const isRecent = end - to < recentCount && tokens <= recentBudget;
		if (start < end && tokens > budget && !isRecent) break;
		// A history may be cut in front of any group but a result alone.
		if (!isOf(draft, from, kind.result)) start = from;
	}
	return start;
}
