/** The draft of a compaction: the visible units and the changes that the stages plan. */

import type { OutdatedReason, StageName } from '../../protocol/compaction.ts';
import type { ChatMessage, IdentifiedMessage } from '../../protocol/conversation.ts';
import { isFromUser, type Protection } from '../history/protection.ts';
import type { RowOrigin, Seq } from '../history/record.ts';
import { type Row, replacesSeveralRows, type Unit } from '../history/row.ts';
import { findFirstUnitFrom, isShownInPlace } from '../history/unitLookup.ts';
import type { Counts } from '../measure/measure.ts';
import type { Meter } from '../meter/meter.ts';
import { findTokenWeight, weighRow } from '../meter/reading.ts';
import { createToolMatcher } from '../models/glob.ts';
import type { Policy } from './policy.ts';
import { tuning, workLimits } from './tuning.ts';

/** The message that replaces the message of a unit. */
export interface Replacement {
	stage: StageName;
	message: IdentifiedMessage;
	counts: Counts;
	made: RowOrigin;
	/** Why the original is outdated; set only if the caller selected the original. */
	reason?: OutdatedReason;
	/** Set while the message has only the placeholder; its other members are loaded before the patch is written. */
	isPlaceholder?: true;
}

/** Index of a visible unit in the view. */
export type Item = number;

/** Properties of an item, as bits. */
export const itemKind = {
	/** A tool result. */
	result: 1,
	/** A message that the user wrote, even if its middle was cut out later. */
	fromUser: 2,
	/** An item that shows one row, whole or shortened, unlike a summary or marker. */
	oneRow: 4,
	/** An item that no stage may touch. */
	protected: 8,
	/** A message that the daemon created. */
	fromDaemon: 16,
	/** An item of a batch with a result of a tool that the user protects. Only truncation may remove it. */
	truncateOnly: 32,
} as const;

/** Returns the kinds of a row that do not depend on other rows. */
function classifyRow(row: Row): number {
	return (
		(row.role === 'tool' ? itemKind.result : 0) |
		(isFromUser(row) ? itemKind.fromUser : 0) |
		(row.made ? itemKind.fromDaemon : 0)
	);
}

/** Value of `Draft.hiddenBy` for a visible item. */
export const notHidden = 0;
/** Values of `Draft.hiddenBy` for an item that this stage hides behind a summary or marker. */
export const hidingStages = { summarize: 1, truncate: 2 } as const;

/** The effects that stages need: reading messages, pausing, counting tokens. */
export interface Effects {
	/** Reads the messages of rows, in the given order. */
	read(rows: readonly Row[]): Promise<IdentifiedMessage[]>;
	/** Yields to other tasks; throws if the compaction was cancelled. */
	pause(): Promise<void>;
	/** Returns the raw tokens of a text. */
	countText(text: string): number;
	countMessage(message: ChatMessage): Counts;
}

/**
 * The view in columns, with an entry for each item. Stages walk a history of a hundred thousand messages a dozen times;
 * without columns, looking up each row would take most of the time.
 */
export interface Draft {
	view: readonly Unit[];
	/** All rows of the session, including the originals that stages read. */
	rows: readonly Row[];
	/** First row of each item. */
	firstSeqs: Int32Array;
	/** Bits of `itemKind`. */
	kinds: Uint8Array;
	/** First row of an item's tool batch, taken from `Row.batch`. */
	batches: Int32Array;
	/** Tokens of each item before the compaction, on the meter's scale. */
	tokensBefore: Float64Array;
	/** Tokens of each item after the changes planned so far. */
	tokensNow: Float64Array;
	/** The stage that hides each item: one of `hidingStages`, or `notHidden`. */
	hiddenBy: Uint8Array;
	/** Items that replace several rows, in order. */
	multiRowItems: Item[];
	/** The items of kind `protected`, in order. */
	protectedItems: Item[];
	/** The items of kind `truncateOnly`, in order. */
	truncateOnlyItems: Item[];
	/** The replacements of items that a stage shortened. */
	replacements: Map<Item, Replacement>;
	/** The history's tokens now, on the meter's scale. */
	tokens: number;
	/** Target size of the history, in tokens on the meter's scale. */
	target: number;
	/** Tokens of the protected items, which no stage may change. */
	protectedTokens: number;
	meter: Meter;
	protection: Protection;
	/** Number of items shortened or hidden so far. */
	changedItems: number;
	/** Whether summarized messages may be restored: no model wrote the summary, and no tail was requested. */
	isTailExtensible?: boolean;
	/** The summary and the marker that replace hidden items. Each is shown at its first hidden item. */
	rangeReplacements: { summarize?: Replacement; truncate?: Replacement };
}

/** Whether an item has any of these kinds. */
export function hasKind({ kinds }: Draft, item: Item, bits: number): boolean {
	return ((kinds[item] ?? 0) & bits) !== 0;
}

/** Whether no stage may touch an item. */
export function isProtected(draft: Draft, item: Item): boolean {
	return hasKind(draft, item, itemKind.protected);
}

/** Whether this compaction hides an item behind a summary or marker. */
export function isHidden({ hiddenBy }: Draft, item: Item): boolean {
	return hiddenBy[item] !== notHidden;
}

/** Returns the unit of an item. */
export function getUnit({ view }: Draft, item: Item): Unit {
	const unit = view[item];
	if (!unit) throw new RangeError(`no item ${item} among ${view.length}`);
	return unit;
}

/** Returns the tokens of an item after the changes planned so far. */
export function getTokens({ tokensNow }: Draft, item: Item): number {
	return tokensNow[item] ?? 0;
}

/** Returns the total tokens of items after the changes planned so far. */
export function sumTokens({ tokensNow }: Draft, items: readonly Item[]): number {
	return items.reduce((sum, item) => sum + (tokensNow[item] ?? 0), 0);
}

/** Returns the items that satisfy a condition, in order. */
export function selectItems({ view }: Draft, isSelected: (item: Item) => boolean): Item[] {
	const items: Item[] = [];
	for (let item = 0; item < view.length; item++) if (isSelected(item)) items.push(item);
	return items;
}

/** Returns the target minus the tokens of protected messages, at least 0. */
export function computeUnprotectedBudget(draft: Draft): number {
	return Math.max(0, draft.target - draft.protectedTokens);
}

/** Returns the weight of one raw token in a message that the daemon inserts at a row. */
export function findWeightAt({ rows, meter }: Draft, seq: Seq): number {
	if (seq >= rows.length) return meter.factor;
	const counts = { text: 0, calls: 0, images: 0 };
	return findTokenWeight(meter, { seq, role: 'user', counts, made: 'deduplicated' });
}

/** Returns the tokens of counts at a row, on the meter's scale. */
export function weighCounts(draft: Draft, seq: Seq, counts: Counts): number {
	return findWeightAt(draft, seq) * (counts.text + counts.calls + counts.images);
}

/**
 * Replaces an item; returns false and changes nothing if the replacement is not shorter. The raw counts must shrink too,
 * because the reported tokens of an answer and counted tokens differ in weight.
 */
export function shortenItem(draft: Draft, item: Item, replacement: Replacement): boolean {
	const { row, from } = getUnit(draft, item);
	const { text, calls, images } = replacement.counts;
	const earlier = draft.replacements.get(item);
	const current = earlier?.counts ?? row.counts;
	const isShorter = row.exact || text + calls + images < current.text + current.calls + current.images;
	const tokens = weighCounts(draft, from, replacement.counts);
	if (!isShorter || tokens >= getTokens(draft, item)) return false;
	draft.tokens += tokens - getTokens(draft, item);
	if (!earlier && !isHidden(draft, item)) draft.changedItems++;
	draft.tokensNow[item] = tokens;
	draft.replacements.set(item, replacement);
	return true;
}

/** Hides an item behind the summary or marker of a stage. */
export function hideItem(draft: Draft, item: Item, stage: keyof typeof hidingStages): void {
	if (!isHidden(draft, item) && !draft.replacements.has(item)) draft.changedItems++;
	draft.tokens -= getTokens(draft, item);
	draft.tokensNow[item] = 0;
	draft.hiddenBy[item] = hidingStages[stage];
}

/** Shows a hidden item again. */
export function unhideItem(draft: Draft, item: Item): void {
	const replacement = draft.replacements.get(item);
	const tokens = replacement
		? weighCounts(draft, draft.firstSeqs[item] ?? 0, replacement.counts)
		: (draft.tokensBefore[item] ?? 0);
	draft.tokensNow[item] = tokens;
	draft.tokens += tokens;
	draft.hiddenBy[item] = notHidden;
	if (!replacement) draft.changedItems--;
}

/** Returns the original row of an item that shows one row. For a summary or marker, returns its own row. */
export function getOriginal(draft: Draft, item: Item): Row {
	const row = hasKind(draft, item, itemKind.oneRow) ? draft.rows[draft.firstSeqs[item] ?? 0] : undefined;
	return row ?? getUnit(draft, item).row;
}

/** Yields items with their original messages. Reads in slices of `originalsPerSlice`. */
export async function* readOriginals(
	draft: Draft,
	items: readonly Item[],
	{ read, pause }: Pick<Effects, 'read' | 'pause'>,
): AsyncGenerator<[Item, IdentifiedMessage]> {
	for (let position = 0; position < items.length; position += workLimits.originalsPerSlice) {
		const part = items.slice(position, position + workLimits.originalsPerSlice);
		const messages = await read(part.map((item) => getOriginal(draft, item)));
		for (const [index, item] of part.entries()) {
			const message = messages[index];
			if (message) yield [item, message];
		}
		await pause();
	}
}

/** Whether an item belongs to the same tool batch as the previous item, and must not be separated from it. */
export function continuesBatch({ batches }: Draft, item: Item): boolean {
	const batch = batches[item];
	return item > 0 && batch !== -1 && batch === batches[item - 1];
}

/** Returns the newest message, with its tool batch if it is of one. Newest first. O(batch). */
export function listNewestBatch(draft: Draft): Item[] {
	const items: Item[] = [];
	for (let item = draft.view.length - 1; item >= 0; item--) {
		items.push(item);
		if (!continuesBatch(draft, item)) break;
	}
	return items;
}

/**
 * Returns the results of the newest batch that stay whole: the agent has not answered them yet, and they are small. All
 * of them together take at most `minLevelTokens`.
 */
export function selectSmallUnread(draft: Draft): Set<Item> {
	const results = listNewestBatch(draft).filter((item) => hasKind(draft, item, itemKind.result));
	const maxTokens = tuning.prune.minLevelTokens / results.length;
	return new Set(results.filter((item) => getTokens(draft, item) <= maxTokens));
}

/** Groups items by tool batch, in order. A message outside of batches is a group of one. */
export function groupByBatch(draft: Draft, items: readonly Item[]): Item[][] {
	const groups: Item[][] = [];
	let batch = -1;
	for (const item of items) {
		const itemBatch = draft.batches[item] ?? -1;
		const last = groups.at(-1);
		if (last && itemBatch === batch && itemBatch !== -1) last.push(item);
		else groups.push([item]);
		batch = itemBatch;
	}
	return groups;
}

/** Returns the draft of the unchanged view, in slices. */
export async function createDraft({
	view,
	rows,
	meter,
	protection,
	target,
	policy,
	effects,
}: Pick<Draft, 'view' | 'rows' | 'meter' | 'protection' | 'target'> & {
	policy: Pick<Policy, 'protectedTools'>;
	effects: Pick<Effects, 'pause'>;
}): Promise<Draft> {
	const draft: Draft = {
		view,
		rows,
		firstSeqs: new Int32Array(view.length),
		kinds: new Uint8Array(view.length),
		batches: new Int32Array(view.length),
		tokensBefore: new Float64Array(view.length),
		tokensNow: new Float64Array(view.length),
		hiddenBy: new Uint8Array(view.length),
		multiRowItems: [],
		protectedItems: [],
		truncateOnlyItems: [],
		replacements: new Map(),
		tokens: 0,
		protectedTokens: 0,
		target,
		meter,
		protection,
		changedItems: 0,
		rangeReplacements: {},
	};
	const protects = createToolMatcher(policy.protectedTools);
	const truncateOnlyBatches = new Set<Seq>();
	for (let item = 0; item < view.length; item++) {
		if (item % workLimits.unitsPerSlice === 0) await effects.pause();
		const unit = getUnit(draft, item);
		addItem(draft, item, unit);
		const { role, tool = '', batch } = unit.row;
		const isKept = role === 'tool' && protects(tool) && !isSkillNotice(unit.row);
		if (isKept) truncateOnlyBatches.add(batch);
	}
	markProtected(draft);
	markTruncateOnly(draft, truncateOnlyBatches);
	return draft;
}

/** Maximum tokens of the notice with which Claude Code loads a skill. The skill itself follows in another message. */
const maxSkillNoticeTokens = 60;

function isSkillNotice({ tool, counts }: Row): boolean {
	return tool === 'Skill' && counts.text <= maxSkillNoticeTokens;
}

function addItem(draft: Draft, item: Item, unit: Unit): void {
	const { row, from } = unit;
	const isInPlace = row === draft.rows[from] || isShownInPlace(unit, draft.rows);
	if (!isInPlace) draft.multiRowItems.push(item);
	const tokens = weighRow(draft.meter, row);
	draft.firstSeqs[item] = from;
	draft.kinds[item] = classifyRow(row) | (isInPlace ? itemKind.oneRow : 0);
	draft.batches[item] = row.made === 'summary' ? -1 : row.batch;
	draft.tokensBefore[item] = tokens;
	draft.tokensNow[item] = tokens;
	draft.tokens += tokens;
}

/** Marks the protected items, in the order of the view. */
function markProtected(draft: Draft): void {
	const { view, kinds, protection, firstSeqs } = draft;
	for (const seq of [...protection.rows].sort((a, b) => a - b)) {
		for (let item = findFirstUnitFrom(view, seq); firstSeqs[item] === seq; item++) {
			if (!hasKind(draft, item, itemKind.oneRow)) continue;
			kinds[item] = (kinds[item] ?? 0) | itemKind.protected;
			draft.protectedItems.push(item);
			draft.protectedTokens += getTokens(draft, item);
		}
	}
}

/** Marks batches that contain a result of a tool that the user protects: only truncation may remove them. O(items). */
function markTruncateOnly(draft: Draft, batches: ReadonlySet<Seq>): void {
	if (batches.size === 0) return;
	const { kinds } = draft;
	draft.truncateOnlyItems = selectItems(draft, (item) => {
		const { row } = getUnit(draft, item);
		return !replacesSeveralRows(row) && batches.has(row.batch);
	});
	for (const item of draft.truncateOnlyItems) kinds[item] = (kinds[item] ?? 0) | itemKind.truncateOnly;
}
