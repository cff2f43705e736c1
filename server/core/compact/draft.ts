/** A compaction in the making: the visible units with what the stages mean to do to each. */

import type { StageName } from '../../protocol/compaction.ts';
import type { ChatMessage, IdentifiedMessage } from '../../protocol/conversation.ts';
import type { Protection } from '../history/protection.ts';
import type { Made, Seq } from '../history/record.ts';
import type { Row, Unit } from '../history/row.ts';
import { isShownInPlace } from '../history/seen.ts';
import type { Counts } from '../measure/counts.ts';
import type { Meter } from '../meter/meter.ts';
import { weighRow, weightOf } from '../meter/reading.ts';

/** What stands in a unit's place instead. */
export interface Shown {
	stage: StageName;
	message: IdentifiedMessage;
	counts: Counts;
	made: Made;
}

export interface Item {
	unit: Unit;
	/** Tokens of the unit as it is, on the meter's scale. */
	before: number;
	/** Tokens of what stands there now. */
	tokens: number;
	protected: boolean;
	/** It is of a batch with a result of a tool that the user protects. */
	guarded?: boolean;
	/** Its stand-in, where a stage shortened it. */
	shown?: Shown;
	/** The stage that hides it with its neighbours, behind a summary or a marker. */
	hidden?: 'summarize' | 'truncate';
	/** Tokens that it had when it was hidden. */
	held?: number;
}

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

export interface Draft {
	items: Item[];
	/** All rows of the session: stages read originals. */
	rows: readonly Row[];
	/** The history's tokens now, on the meter's scale. */
	tokens: number;
	/** What they should come down to. */
	target: number;
	/** Tokens of what no stage may touch. */
	protectedTokens: number;
	meter: Meter;
	protection: Protection;
	/** How many items were shortened or hidden so far. */
	touched: number;
	/** The summary or marker that stands for hidden items: the first of them shows it. */
	standIns: { summarize?: Shown; truncate?: Shown };
}

/** How many units are walked over before others may work: a few milliseconds. */
export const walk = 50_000;

/** The view as it is, before any stage. */
export async function startDraft(
	view: readonly Unit[],
	rows: readonly Row[],
	meter: Meter,
	protection: Protection,
	target: number,
	pause: Effects['pause'],
): Promise<Draft> {
	const items: Item[] = [];
	let all = 0;
	let protectedTokens = 0;
	for (const unit of view) {
		if (items.length % walk === walk - 1) await pause();
		const tokens = weighRow(meter, unit.row);
		const isProtected = protection.rows.has(unit.from) && isShownInPlace(unit, rows);
		items.push({ unit, before: tokens, tokens, protected: isProtected });
		all += tokens;
		if (isProtected) protectedTokens += tokens;
	}
	return {
		items,
		rows,
		tokens: all,
		protectedTokens,
		target,
		meter,
		protection,
		touched: 0,
		standIns: {},
	};
}

/** Tokens of the target that protected messages leave to all the rest. */
export function roomOf(draft: Draft): number {
	return Math.max(0, draft.target - draft.protectedTokens);
}

/** Weight of a raw token of something that the daemon puts in a place. */
export function weightAt(draft: Draft, seq: Seq): number {
	const row = draft.rows[seq];
	if (!row) return draft.meter.factor;
	// Asked for tens of thousands of rows: a whole copy of each would take most of the time.
	return weightOf(draft.meter, { seq: row.seq, role: row.role, counts: row.counts, made: 'shortened' });
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
	const { text, calls, images } = shown.counts;
	const now = item.shown?.counts ?? item.unit.row.counts;
	const isShorter = item.unit.row.exact || text + calls + images < now.text + now.calls + now.images;
	const tokens = weighCounts(draft, item.unit.from, shown.counts);
	if (!isShorter || tokens >= item.tokens) return false;
	draft.tokens += tokens - item.tokens;
	if (!item.shown && !item.hidden) draft.touched++;
	item.tokens = tokens;
	item.shown = shown;
	return true;
}

/** Takes an item out of the history. */
export function hide(draft: Draft, item: Item, stage: 'summarize' | 'truncate'): void {
	if (!item.shown && !item.hidden) draft.touched++;
	draft.tokens -= item.tokens;
	item.held = item.tokens;
	item.tokens = 0;
	item.hidden = stage;
}

/** Takes a hiding back. */
export function unhide(draft: Draft, item: Item): void {
	item.tokens = item.held ?? item.before;
	draft.tokens += item.tokens;
	item.held = undefined;
	item.hidden = undefined;
	if (!item.shown) draft.touched--;
}

/** The original row of an item that stands for one row; the shown row of a summary or marker. */
export function originalOf(draft: Draft, item: Item): Row {
	const own = draft.rows[item.unit.from];
	return own && isShownInPlace(item.unit, draft.rows) ? own : item.unit.row;
}

/** Runs of items that no stage may part: a tool batch, or one message. */
export function groupsOf(items: readonly Item[]): Item[][] {
	const groups: Item[][] = [];
	let batch = -1;
	for (const item of items) {
		const own = item.unit.row.made === 'summary' ? -1 : item.unit.row.batch;
		const last = groups.at(-1);
		if (last && own === batch && own !== -1) last.push(item);
		else groups.push([item]);
		batch = own;
	}
	return groups;
}
