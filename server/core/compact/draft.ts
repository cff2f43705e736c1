/** A compaction in the making: the visible units with what the stages mean to do to each. */

import type { StageName } from '../../protocol/compaction.ts';
import type { ChatMessage, IdentifiedMessage } from '../../protocol/conversation.ts';
import type { Protection } from '../history/protection.ts';
import type { Made, Seq } from '../history/record.ts';
import type { Row, Unit } from '../history/row.ts';
import type { Counts } from '../measure/measure.ts';
import type { Meter } from '../meter/meter.ts';
import { weightOf } from '../meter/reading.ts';
import { kind, type RowColumns } from './rowColumns.ts';

/** What stands in a unit's place instead. */
export interface Shown {
	stage: StageName;
	message: IdentifiedMessage;
	counts: Counts;
	made: Made;
	/** Of the message its note alone is known: what else it keeps of the original is read before it is laid. */
	isNote?: true;
}

/** A visible unit, by its place in the view. */
export type Item = number;

/** The stage that hides an item with its neighbours, behind a summary or a marker; `seen`: none. */
export const seen = 0;
export const hiding = { summarize: 1, truncate: 2 } as const;

/** What the stages need of the world around them. */
export interface Effects {
	/** The messages of rows, in the order asked for. */
	read(rows: readonly Row[]): Promise<IdentifiedMessage[]>;
	/** Lets others work for a moment, and throws where the compaction was cancelled. */
	pause(): Promise<void>;
	/** Raw tokens of a text. */
	countText(text: string): number;
	countMessage(message: ChatMessage): Counts;
}

/** The view in columns, an entry for each item. */
export interface Draft {
	view: readonly Unit[];
	/** All rows of the session: stages read originals. */
	rows: readonly Row[];
	/** First row of each item. */
	froms: Int32Array;
	kinds: Uint16Array;
	/** First row of an item's tool batch, as its row says it. */
	batches: Int32Array;
	/** By the numbers of the row columns: its tool, and what it says word for word. */
	tools: Int32Array;
	digests: Int32Array;
	/** Tokens of the item as it is, on the meter's scale. */
	before: Float64Array;
	/** Tokens of what stands there now. */
	now: Float64Array;
	/** Tokens that it had when it was hidden. */
	held: Float64Array;
	/** By `hiding`. */
	hidden: Uint8Array;
	/** Items that stand for several rows, in order. */
	several: Item[];
	/** Items that are protected, and guarded ones, in order both. */
	protectedItems: Item[];
	guardedItems: Item[];
	/** Stand-ins of what a stage shortened. */
	shown: Map<Item, Shown>;
	/** The history's tokens now, on the meter's scale. */
	tokens: number;
	/** What they should come down to. */
	target: number;
	/** Tokens of what no stage may touch. */
	protectedTokens: number;
	columns: RowColumns;
	meter: Meter;
	weights: PlainWeights;
	protection: Protection;
	/** How many items were shortened or hidden so far. */
	touched: number;
	/** Messages that the summary describes may be shown as well: no model was asked for it, and no tail was asked for. */
	isTailExtensible?: boolean;
	/** The summary or marker that stands for hidden items: the first of them shows it. */
	standIns: { summarize?: Shown; truncate?: Shown };
}

/** Whether an item is of a kind. */
export function isOf({ kinds }: Draft, item: Item, bits: number): boolean {
	return ((kinds[item] ?? 0) & bits) !== 0;
}

/** Whether no stage may touch an item. */
export function isProtected(draft: Draft, item: Item): boolean {
	return isOf(draft, item, kind.protected);
}

/** Whether an item stands behind a summary or a marker of this compaction. */
export function isHidden({ hidden }: Draft, item: Item): boolean {
	return hidden[item] !== seen;
}

/** The unit that an item is. */
export function unitOf({ view }: Draft, item: Item): Unit {
	const unit = view[item];
	if (!unit) throw new RangeError(`no item ${item} among ${view.length}`);
	return unit;
}

/** Tokens that an item takes now. */
export function tokensOf({ now }: Draft, item: Item): number {
	return now[item] ?? 0;
}

/** Tokens that items take now, together. */
export function sumTokens({ now }: Draft, items: readonly Item[]): number {
	let sum = 0;
	for (let index = 0; index < items.length; index++) sum += now[items[index] ?? 0] ?? 0;
	return sum;
}

/** The items for which something holds, in order. */
export function itemsWhere({ view }: Draft, holds: (item: Item) => boolean): Item[] {
	const found: Item[] = [];
	for (let item = 0; item < view.length; item++) if (holds(item)) found.push(item);
	return found;
}

/** The items that stay whatever is summarized: protected ones, and guarded ones. In order. */
export function stayingItems({ protectedItems, guardedItems }: Draft): Item[] {
	return [...protectedItems, ...guardedItems].sort((a, b) => a - b);
}

/** Tokens of the target that protected messages leave to all the rest. */
export function roomOf(draft: Draft): number {
	return Math.max(0, draft.target - draft.protectedTokens);
}

/** What a raw token weighs up to the meter's anchor, and behind it. */
export interface PlainWeights {
	ahead: number;
	behind: number;
}

/** What raw tokens weigh by their place, but those of the anchor itself. */
export function plainWeights(meter: Meter): PlainWeights {
	const plain = { role: 'user', counts: { text: 0, calls: 0, images: 0 } } as const;
	const anchor = meter.anchor?.seq ?? -1;
	return {
		ahead: weightOf(meter, { ...plain, seq: anchor - 1 }),
		behind: weightOf(meter, { ...plain, seq: anchor + 1 }),
	};
}

/** Weight of a raw token of something that the daemon puts in a place. */
export function weightAt({ rows, meter, weights }: Draft, seq: Seq): number {
	if (seq >= rows.length) return meter.factor;
	return seq > (meter.anchor?.seq ?? -1) ? weights.behind : weights.ahead;
}

/** Tokens of counts in a place, on the meter's scale. */
export function weighCounts(draft: Draft, seq: Seq, counts: Counts): number {
	return weightAt(draft, seq) * (counts.text + counts.calls + counts.images);
}

/**
 * Puts something shorter into an item's place. What would not be shorter is not taken: false. Both are compared as
 * counted too, since an answer that was reported weighs otherwise than what would stand in its place.
 */
export function shorten(draft: Draft, item: Item, shown: Shown): boolean {
	const { row, from } = unitOf(draft, item);
	const { text, calls, images } = shown.counts;
	const before = draft.shown.get(item);
	const now = before?.counts ?? row.counts;
	const isShorter = row.exact || text + calls + images < now.text + now.calls + now.images;
	const tokens = weighCounts(draft, from, shown.counts);
	if (!isShorter || tokens >= tokensOf(draft, item)) return false;
	draft.tokens += tokens - tokensOf(draft, item);
	if (!before && !isHidden(draft, item)) draft.touched++;
	draft.now[item] = tokens;
	draft.shown.set(item, shown);
	return true;
}

/** Takes an item out of the history. */
export function hide(draft: Draft, item: Item, stage: keyof typeof hiding): void {
	const { now, held, hidden, shown } = draft;
	if (hidden[item] === seen && !shown.has(item)) draft.touched++;
	const tokens = now[item] ?? 0;
	draft.tokens -= tokens;
	held[item] = tokens;
	now[item] = 0;
	hidden[item] = hiding[stage];
}

/** Takes a hiding back. */
export function unhide(draft: Draft, item: Item): void {
	const tokens = draft.held[item] ?? 0;
	draft.now[item] = tokens;
	draft.tokens += tokens;
	draft.hidden[item] = seen;
	if (!draft.shown.has(item)) draft.touched--;
}

/** The original row of an item that stands for one row; the shown row of a summary or marker. */
export function originalOf(draft: Draft, item: Item): Row {
	const own = isOf(draft, item, kind.inPlace) ? draft.rows[draft.froms[item] ?? 0] : undefined;
	return own ?? unitOf(draft, item).row;
}

/** Whether no stage may part an item from the one before it: both are of one tool batch. */
export function isOneGroup({ batches }: Draft, item: Item): boolean {
	const batch = batches[item];
	return item > 0 && batch !== -1 && batch === batches[item - 1];
}

/** Runs of neighbours among some items, in order, that no stage may part: a tool batch, or one message. */
export function groupsOf(draft: Draft, items: readonly Item[]): Item[][] {
	const groups: Item[][] = [];
	let batch = -1;
	for (const item of items) {
		const own = draft.batches[item] ?? -1;
		const last = groups.at(-1);
		if (last && own === batch && own !== -1) last.push(item);
		else groups.push([item]);
		batch = own;
	}
	return groups;
}
