/** Selects what a summary replaces, and replaces it. */

import type { ContentPart, IdentifiedMessage } from '../../../protocol/conversation.ts';
import type { Seq } from '../../history/record.ts';
import type { Row } from '../../history/row.ts';
import {
	continuesBatch,
	type Draft,
	type Effects,
	hasKind,
	hiding,
	type Item,
	keptItems,
	originalOf,
	tokensOf,
	unhide,
	unitOf,
	unprotectedBudget,
	weighCounts,
	weightAt,
} from '../draft.ts';
import type { Policy } from '../policy.ts';
import { reasoningBlock } from '../reasoningBlock.ts';
import { defaultTail } from '../policy.ts';
import { rowKind } from '../rowColumns.ts';
import {
	type PlanInput,
	reportNoSummary,
	type StageReport,
	type SummaryTask,
	type SummaryText,
} from '../stage.ts';
import { withTags } from '../summary/summaryShape.ts';
import { tuning } from '../tuning.ts';

/** Lower bound of a token's weight, to divide by. */
const minTokenWeight = 0.01;
/** Raw tokens of the longest summary; the rest of the budget goes to the tail. */
const maxSummaryTokens = 64_000;

/** Returns the tokens that a tail may take so that a summary still fits. */
export function maxTailTokens(draft: Draft, policy: Policy): number {
	const room = unprotectedBudget(draft);
	return Math.max(policy.recentShare * room, room - maxSummaryTokens * draft.meter.factor);
}

/** Items in runs of neighbours `from..to`, in order. */
export interface ItemRange {
	runs: readonly { from: Item; to: Item }[];
	/** Number of items in all runs. */
	length: number;
}

/** Returns the items that a summary should replace, oldest first. Protected items among them stay in place. */
export async function summarizable(
	draft: Draft,
	policy: Policy,
	{ pause }: Pick<Effects, 'pause'>,
	summarizedTo?: Seq,
): Promise<ItemRange> {
	const room = unprotectedBudget(draft);
	const share = policy.keepRecentRatio * (1 - tuning.tail.summaryShare) * room;
	const rest = draft.tokens - draft.protectedTokens;
	const budget = Math.max(
		share,
		room - maxSummaryTokens * draft.meter.factor,
		(room - tuning.tail.maxSummaryRatio * rest) / (1 - tuning.tail.maxSummaryRatio),
	);
	const start = tailStart(draft, budget, policy.recentCount, policy.recentShare * room);
	await pause();
	return summarizableBefore(
		draft,
		startAfterSummary(draft, Math.max(budget, maxTailTokens(draft, policy)), summarizedTo) ?? start,
	);
}

/** Returns the item after the prepared summary, if the tail from there has at most `maxTokens`. O(visible). */
function startAfterSummary(draft: Draft, maxTokens: number, end: Seq | undefined): Item | undefined {
	if (end === undefined) return undefined;
	const start = draft.froms.findIndex((from) => from >= end);
	if (start <= 0 || continuesBatch(draft, start) || hasKind(draft, start, rowKind.result)) return undefined;
	let tokens = 0;
	for (let item = start; item < draft.view.length; item++) {
		if (!hasKind(draft, item, keptKinds)) tokens += tokensOf(draft, item);
	}
	return tokens <= maxTokens ? start : undefined;
}

/** Returns the items before `end`, without groups that contain protected or guarded items. */
function summarizableBefore(draft: Draft, end: Item): ItemRange {
	const runs: { from: Item; to: Item }[] = [];
	let free = 0;
	let length = 0;
	function addRun(to: Item): void {
		if (to > free) runs.push({ from: free, to });
		length += Math.max(0, to - free);
	}
	for (const item of keptItems(draft)) {
		if (item >= end) break;
		if (item < free) continue;
		let from = item;
		while (continuesBatch(draft, from)) from--;
		addRun(from);
		free = item + 1;
		while (free < end && continuesBatch(draft, free)) free++;
	}
	addRun(end);
	return { runs, length };
}

/** Returns the items outside of a range, in order. */
export function itemsOutside({ view }: Draft, { runs }: ItemRange): Item[] {
	const found: Item[] = [];
	let item = 0;
	for (const { from, to } of [...runs, { from: view.length, to: view.length }]) {
		for (; item < from; item++) found.push(item);
		item = to;
	}
	return found;
}

/**
 * Returns the original rows that a summary of these items replaces, in order: their own, and those behind older
 * summaries and markers among them, except rows that stay visible.
 */
function originalRows(
	draft: Draft,
	{ runs }: ItemRange,
	visible: readonly Item[],
	behind: PlanInput['behind'],
): Row[] {
	const { rows, froms, kinds } = draft;
	/** By row: 1 if it is replaced. */
	const taken = new Uint8Array(rows.length);
	for (const { from, to } of runs) {
		const [first, last] = [froms[from] ?? 0, froms[to - 1] ?? 0];
		if (draft.multiRowItems.length === 0 && last - first === to - 1 - from) taken.fill(1, first, last + 1);
		else
			for (let item = from; item < to; item++) {
				if ((kinds[item] ?? 0) & rowKind.inPlace) taken[froms[item] ?? 0] = 1;
				else for (const { seq } of behind(unitOf(draft, item))) taken[seq] = 1;
			}
	}
	for (const item of visible) taken[froms[item] ?? 0] = 0;
	return markedRows(rows, taken);
}

/** Returns the rows that are marked with 1. */
function markedRows(rows: readonly Row[], taken: Uint8Array): Row[] {
	const found: Row[][] = [];
	for (let from = taken.indexOf(1); from >= 0; ) {
		const end = taken.indexOf(0, from);
		const to = end < 0 ? taken.length : end;
		found.push(rows.slice(from, to));
		from = taken.indexOf(1, to);
	}
	return found.length === 1 ? (found[0] ?? []) : found.flat();
}

/** Hides a range; returns the tokens that it had before the compaction. */
function hideRange(draft: Draft, { runs }: ItemRange): number {
	const { tokensBefore, tokensNow, tokensWhenHidden, hidden, replacements } = draft;
	let replaced = 0;
	for (const { from, to } of runs) {
		let left = draft.tokens;
		for (let item = from; item < to; item++) {
			replaced += tokensBefore[item] ?? 0;
			left -= tokensNow[item] ?? 0;
		}
		draft.tokens = left;
		draft.changedItems += to - from;
		tokensWhenHidden.set(tokensNow.subarray(from, to), from);
		tokensNow.fill(0, from, to);
		hidden.fill(hiding.summarize, from, to);
	}
	for (const item of replacements.keys()) if (hidden[item] === hiding.summarize) draft.changedItems--;
	return replaced;
}

function unhideRange(draft: Draft, { runs }: ItemRange): void {
	for (const { from, to } of runs) for (let item = from; item < to; item++) unhide(draft, item);
}

/** Returns the newest summary in a range, and which rows it covers. */
function summaryIn(
	draft: Draft,
	{ runs }: ItemRange,
	behind: PlanInput['behind'],
): SummaryTask['previousSummary'] {
	const isWithin = (item: Item): boolean => runs.some(({ from, to }) => item >= from && item < to);
	const item = draft.multiRowItems.findLast(
		(one) => unitOf(draft, one).row.made === 'summary' && isWithin(one),
	);
	if (item === undefined) return undefined;
	const unit = unitOf(draft, item);
	const held = new Uint8Array(draft.rows.length);
	for (const { seq } of behind(unit)) held[seq] = 1;
	return { row: unit.row, covers: (seq) => held[seq] === 1 };
}

/** Returns the first row of the turn that the range's end splits, even if that row is protected. */
function turnPrefixOf(draft: Draft, { runs }: ItemRange): Seq | undefined {
	const last = (runs.at(-1)?.to ?? 0) - 1;
	if (last < 0 || last + 1 >= draft.view.length) return undefined;
	if (hasKind(draft, last + 1, rowKind.fromUser)) return undefined;
	for (let item = last; item >= 0; item--)
		if (hasKind(draft, item, rowKind.fromUser)) return draft.froms[item];
	return undefined;
}

/**
 * Replaces a range by its summary. Reports why not, with an unchanged draft, if there is nothing to replace, no
 * budget for a useful summary, no summarizer, or no saving.
 */
export async function summarizeRange(
	draft: Draft,
	range: ItemRange,
	{ policy, effects, behind, ids, summarize, thinking }: PlanInput,
): Promise<StageReport> {
	const [first] = range.runs;
	if (first === undefined) return { reason: 'nothing to replace' };
	const start = unitOf(draft, first.from).from;
	const replaced = hideRange(draft, range);
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
	const room = Math.min(maxSummaryTokens, most / Math.max(weight, minTokenWeight)) - framing;
	if (room >= tuning.target.minSummaryTokens) {
		await effects.pause();
		const visible = itemsOutside(draft, range);
		const rows = originalRows(draft, range, visible, behind);
		await effects.pause();
		const { text, metadata, by, failure } = await summarize({
			rows,
			previousSummary: summaryIn(draft, range, behind),
			visible: visible.map((item) => originalOf(draft, item)),
			isVisibleUnchanged: draft.multiRowItems.length === 0,
			turnPrefix: turnPrefixOf(draft, range),
			replacedTokens: Math.round(replaced / Math.max(weight, minTokenWeight)),
			tokens: Math.floor(room),
			targetTokens: Math.floor(draft.target / Math.max(weight, minTokenWeight)),
			instructions: policy.instructions,
			headings: policy.headings,
		});
		const shown = message(text, metadata);
		const counts = effects.countMessage(shown);
		const tokens = weighCounts(draft, start, counts);
		if (text !== '' && tokens < replaced * policy.maxGrowthRatio) {
			draft.tokens += tokens;
			draft.rangeReplacements.summarize = { stage: 'summarize', message: shown, counts, made: 'summary' };
			draft.isTailExtensible = by === 'extract' && policy.keepRecentRatio === defaultTail.keepRecentRatio;
			return {};
		}
		unhideRange(draft, range);
		if (failure) return { reason: `${failure.code}: ${failure.message}`, failure };
		return reportNoSummary('CONTEXT_GROWTH', 'no summary would be smaller than what it replaces');
	}
	unhideRange(draft, range);
	return reportNoSummary('NO_TOKEN_BUDGET', 'no summary would be smaller than what it replaces');
}

/** Kinds of items that stay wherever the tail begins. */
const keptKinds = rowKind.protected | rowKind.guarded;

/**
 * Returns the first item of the tail: as many of the newest groups as fit into `budget` tokens, at least one, and the
 * newest `recentCount` messages while they take at most `recentBudget`. O(tail).
 */
function tailStart(draft: Draft, budget: number, recentCount: number, recentBudget: number): Item {
	const end = draft.view.length;
	let start = end;
	let tokens = 0;
	for (let from = end, to = end; to > 0; to = from) {
		from = to - 1;
		while (continuesBatch(draft, from)) from--;
		// Items that stay anyway do not count towards the tail's budget.
		let own = 0;
		for (let item = from; item < to; item++)
			own += hasKind(draft, item, keptKinds) ? 0 : tokensOf(draft, item);
		tokens += own;
		const isRecent = end - to < recentCount && tokens <= recentBudget;
		if (start < end && tokens > budget && !isRecent) break;
		// A tail may begin at any group that does not start with a result.
		if (!hasKind(draft, from, rowKind.result)) start = from;
	}
	return start;
}
