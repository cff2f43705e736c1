/**
 * Matches tool calls with their results. Ids alone are not enough, since real sessions use ids twice.
 *
 * A result belongs to the newest earlier call with its id that is still unanswered. If an even newer call with that
 * id is already answered, the tool name must match too.
 *
 * - A result in the wrong place moves behind its call.
 * - A call without a result gets a synthetic result, a result without a call a synthetic call.
 * - A second, equal result is left out.
 * - Unanswered calls of an answer that was cut off are incomplete and left out.
 *
 * Some formats put each call of one answer into its own message, with all results after the last one. That order is
 * valid, too, unless text comes between the calls.
 */

import type { Repairs } from '../../protocol/compact.ts';
import { itemsPerSlice, runToEnd, type SlicedTask } from '../slices.ts';
import type { Seq } from './record.ts';
import type { Row, Unit } from './row.ts';

/** One entry of a history in which every call has its result. */
export type PairedEntry =
	| {
			kind: 'message';
			unit: Unit /** Positions of incomplete calls, to be left out. */;
			halfCalls?: number[];
	  }
	| { kind: 'result' /** The assistant message whose call it answers. */; unit: Unit; call: number }
	| { kind: 'call' /** The result that this synthetic call is made for. */; unit: Unit };

export interface Pairing extends Repairs {
	entries: PairedEntry[];
}

/** One call that waits for its result. */
interface Slot {
	caller: number;
	call: number;
	/** Position of the result in the view. */
	result?: number;
}

function isCutOff(row: Row): boolean {
	return row.stopReason === 'aborted' || row.stopReason === 'error';
}

interface Matching {
	/** The calls of each assistant message, by its position. */
	slots: (Slot[] | undefined)[];
	/** By position: 1 if the result belongs to a call. */
	matched: Uint8Array;
	/** By position: 1 if the result repeats an earlier one. */
	repeated: Uint8Array;
}

/** What is known about one call id during the pass over the view. */
interface IdUse {
	/** Position of the newest message that calls with this id. */
	newest: number;
	waiting: Slot[];
	/** Index in `waiting` of that message's first slot, and of its first slot that still waits. */
	base: number;
	first: number;
	/** Position of the newest result that was matched. */
	answered?: number;
}

/** Maximum number of calls with one id, or of one message, that are searched for the call of a result. */
const maxSearchedCalls = 64;

function* matchCalls(view: readonly Unit[]): SlicedTask<Matching> {
	const slots: (Slot[] | undefined)[] = new Array(view.length).fill(undefined);
	const uses = new Map<string, IdUse>();
	const matched = new Uint8Array(view.length);
	const repeated = new Uint8Array(view.length);
	/** Unmatched results since the last message with calls, by id. */
	const unmatchedResults = new Map<string, number>();
	/** Calls and the result that precedes them, used if none follows. */
	const precededCalls: { slot: Slot; before: number }[] = [];
	for (const [position, { row }] of view.entries()) {
		if (position % itemsPerSlice === itemsPerSlice - 1) yield;
		if (row.calls?.length) {
			const own = row.calls.map((_, call): Slot => ({ caller: position, call }));
			slots[position] = own;
			for (const slot of own) {
				const id = row.calls[slot.call]?.id ?? '';
				const use = uses.get(id) ?? { newest: position, waiting: [], base: 0, first: 0 };
				uses.set(id, use);
				if (use.newest !== position) dropFilledSlots(use);
				use.newest = position;
				use.waiting.push(slot);
				const before = unmatchedResults.get(id);
				if (before !== undefined) precededCalls.push({ slot, before });
			}
			unmatchedResults.clear();
		} else if (row.role === 'tool') {
			const id = row.answers ?? '';
			const use = uses.get(id);
			const slot = use && takeSlot(view, use, row);
			const previous = use?.answered;
			if (slot && use) {
				slot.result = position;
				matched[position] = 1;
				use.answered = position;
			} else if (previous !== undefined && view[previous]?.row.digest === row.digest) repeated[position] = 1;
			else unmatchedResults.set(id, position);
		} else if (row.role === 'user') unmatchedResults.clear();
	}
	for (const { slot, before } of precededCalls) {
		const { tool } = view[before]?.row ?? {};
		const isOfCall = tool === undefined || tool === view[slot.caller]?.row.calls?.[slot.call]?.name;
		if (slot.result !== undefined || matched[before] || !isOfCall) continue;
		slot.result = before;
		matched[before] = 1;
	}
	return { slots, matched, repeated };
}

/** Drops slots that no longer wait. Removing them one by one would take quadratic time. */
function dropFilledSlots(use: IdUse): void {
	use.waiting.splice(use.base, use.first - use.base);
	use.base = use.waiting.length;
	use.first = use.base;
}

/** Removes and returns the slot that a result fills. */
function takeSlot(view: readonly Unit[], use: IdUse, row: Row): Slot | undefined {
	const { waiting, first, answered } = use;
	const isOfTool = ({ caller, call }: Slot): boolean => view[caller]?.row.calls?.[call]?.name === row.tool;
	if (first < waiting.length) {
		// Of several calls with one id in one message, take the one of the result's tool.
		const named = waiting.slice(first, first + maxSearchedCalls).findIndex(isOfTool);
		const index = first + Math.max(0, named);
		const slot = waiting[index];
		waiting.copyWithin(first + 1, first, index);
		use.first++;
		if (use.first === waiting.length) dropFilledSlots(use);
		return slot;
	}
	const isRepeated = answered !== undefined && view[answered]?.row.digest === row.digest;
	const look = waiting.slice(-maxSearchedCalls);
	const named = isRepeated ? -1 : look.findLastIndex(isOfTool);
	if (named < 0) return undefined;
	use.base = --use.first;
	return waiting.splice(waiting.length - look.length + named, 1)[0];
}

/** Whether a message's results directly follow it, each once; in any order if their ids are distinct. */
function isInOrder(row: Row, slots: readonly Slot[], position: number): boolean {
	if (new Set(row.calls?.map((call) => call.id)).size < slots.length) {
		return slots.every((slot, index) => slot.result === position + 1 + index);
	}
	const behind = new Set(slots.map((slot) => (slot.result ?? -1) - position));
	return slots.every((_, index) => behind.has(index + 1));
}

/** The first position after the calls that one answer makes in several messages. Text ends them. */
function callsEnd({ slots }: Matching, start: number): number {
	let end = start + 1;
	while (slots[end]) end++;
	return end;
}

/**
 * The position after an answer in several messages and its results. Undefined unless exactly one result
 * for each call directly follows, and all ids are distinct.
 */
function endInOrder(
	view: readonly Unit[],
	matching: Matching,
	start: number,
	end: number,
): number | undefined {
	const ids = new Set<string | undefined>();
	const results = new Set<number | undefined>();
	let calls = 0;
	for (let position = start; position < end; position++) {
		for (const slot of matching.slots[position] ?? []) {
			calls++;
			ids.add(view[position]?.row.calls?.[slot.call]?.id);
			results.add(slot.result);
		}
	}
	if (ids.size < calls || results.size < calls) return undefined;
	for (let position = end; position < end + calls; position++) {
		if (!results.has(position)) return undefined;
	}
	return end + calls;
}

function pushBatch(pairing: Pairing, view: readonly Unit[], position: number, slots: readonly Slot[]): void {
	const unit = view[position];
	if (!unit) return;
	const half = isCutOff(unit.row) ? slots.filter((slot) => slot.result === undefined) : [];
	pairing.entries.push({
		kind: 'message',
		unit,
		...(half.length > 0 && { halfCalls: half.map((slot) => slot.call) }),
	});
	if (isInOrder(unit.row, slots, position)) {
		for (const index of slots.keys()) pushMessage(pairing, view, position + 1 + index);
		return;
	}
	for (const slot of slots) {
		if (slot.result !== undefined) pushMessage(pairing, view, slot.result);
		else if (half.length === 0) pairing.entries.push({ kind: 'result', unit, call: slot.call });
	}
}

function pushMessage(pairing: Pairing, view: readonly Unit[], position: number): void {
	const unit = view[position];
	if (unit) pairing.entries.push({ kind: 'message', unit });
}

function* repairsOf(view: readonly Unit[], { slots, matched, repeated }: Matching): SlicedTask<Repairs> {
	let orphanedCallsFixed = 0;
	let orphanedResultsFixed = 0;
	for (const [position, { row }] of view.entries()) {
		if (position % itemsPerSlice === itemsPerSlice - 1) yield;
		const own = slots[position];
		if (own && !isCutOff(row)) {
			for (const { result } of own) if (result === undefined) orphanedCallsFixed++;
		}
		if (row.role === 'tool' && !matched[position] && !repeated[position]) orphanedResultsFixed++;
	}
	return { orphanedCallsFixed, orphanedResultsFixed };
}

/**
 * The results that must stay so that the messages of these rows keep their calls: calls of an answer
 * that was cut off are left out if they have no result. O(visible).
 */
export function resultsToProtect(view: readonly Unit[], callers: ReadonlySet<Seq>): Unit[] {
	const isHeld = ({ row, from }: Unit): boolean =>
		isCutOff(row) && row.calls !== undefined && callers.has(from);
	if (!view.some(isHeld)) return [];
	const { slots } = runToEnd(matchCalls(view));
	return view.flatMap((unit, position) => {
		const own = isHeld(unit) ? (slots[position] ?? []) : [];
		return own.flatMap(({ result }) => (result === undefined ? [] : (view[result] ?? [])));
	});
}

/**
 * Whether all results directly follow their message, in the order of the calls, and appear nowhere
 * else. Such a history needs no repair, even if ids repeat.
 */
function* isAllInOrder(view: readonly Unit[]): SlicedTask<boolean> {
	let waiting: Row['calls'];
	let answered = 0;
	for (let position = 0; position < view.length; position++) {
		if (position % itemsPerSlice === itemsPerSlice - 1) yield;
		const { calls, role, answers } = (view[position] as Unit).row;
		if (waiting && answered < waiting.length) {
			const isNext = role === 'tool' && !calls?.length && waiting[answered]?.id === answers;
			if (!isNext || isRepeatedId(waiting, answered)) return false;
			answered++;
		} else if (calls?.length) {
			if (calls.length > maxSearchedCalls) return false;
			waiting = calls;
			answered = 0;
		} else if (role === 'tool') return false;
	}
	return !waiting || answered === waiting.length;
}

/** Whether an earlier call has the same id as the one at the index. */
function isRepeatedId(calls: NonNullable<Row['calls']>, index: number): boolean {
	const id = calls[index]?.id;
	for (let before = 0; before < index; before++) if (calls[before]?.id === id) return true;
	return false;
}

/** Counts the repairs that `pairCalls` would make, without building the entries; O(visible), in slices. */
export function* countRepairs(view: readonly Unit[]): SlicedTask<Repairs> {
	if (yield* isAllInOrder(view)) return { orphanedCallsFixed: 0, orphanedResultsFixed: 0 };
	const matching = yield* matchCalls(view);
	return yield* repairsOf(view, matching);
}

/** Returns the view with each call directly followed by its result; O(visible), in slices. */
export function* pairCalls(view: readonly Unit[]): SlicedTask<Pairing> {
	const matching = yield* matchCalls(view);
	const { slots, matched, repeated } = matching;
	const pairing: Pairing = { entries: [], ...(yield* repairsOf(view, matching)) };
	/** Answers before this position were checked as a whole. */
	let seen = 0;
	/** Entries before this position are already added. */
	let placed = 0;
	for (const [position, unit] of view.entries()) {
		if (position % itemsPerSlice === itemsPerSlice - 1) yield;
		if (position < placed) continue;
		const own = slots[position];
		if (own && position >= seen) {
			seen = callsEnd(matching, position);
			const end = seen > position + 1 ? endInOrder(view, matching, position, seen) : undefined;
			if (end !== undefined) {
				for (placed = position; placed < end; placed++) pushMessage(pairing, view, placed);
				continue;
			}
		}
		if (matched[position] || repeated[position]) continue;
		if (own) {
			pushBatch(pairing, view, position, own);
			continue;
		}
		if (unit.row.role === 'tool') pairing.entries.push({ kind: 'call', unit });
		pairing.entries.push({ kind: 'message', unit });
	}
	return pairing;
}
