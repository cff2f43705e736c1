/**
 * Tool calls and their results, put together: by id and by turn, since real sessions use ids twice.
 *
 * A result belongs to the newest earlier call with its id that is still unanswered; where an even newer call with
 * that id has its answer already, only if it is of the same tool. One that strayed is moved behind its call; a call
 * without a result gets a synthetic one; a result without a call gets a synthetic call; a second, equal result is
 * left out; so are unanswered calls of an answer that was cut off, which are half calls. Some formats have every
 * call of one answer in a message of its own, all results behind them: that is in order too, but for words between.
 */

import type { Repairs } from '../../protocol/compact.ts';
import { finish, type Slices, sliceLength } from '../slices.ts';
import type { Seq } from './record.ts';
import type { Row, Unit } from './row.ts';

/** One entry of a history that is valid as to its pairs. */
export type PairedEntry =
	| { kind: 'message'; unit: Unit /** Positions of half calls, to be left out. */; halfCalls?: number[] }
	| { kind: 'result' /** The assistant message whose call it answers. */; unit: Unit; call: number }
	| { kind: 'call' /** The result that it is made for. */; unit: Unit };

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
	/** By position of the assistant message: its calls. */
	slots: (Slot[] | undefined)[];
	/** By position: 1 where a result belongs to a call. */
	matched: Uint8Array;
	/** By position: 1 where a result says again what an earlier one said. */
	repeated: Uint8Array;
}

/** What is known of one call id on the way through the view. */
interface Use {
	/** Position of the newest message that calls with it. */
	newest: number;
	waiting: Slot[];
	/** Where the slots of that message begin among these, and the first of them that still waits. */
	base: number;
	first: number;
	/** Position of the newest result that was matched. */
	answered?: number;
}

/** So many calls of one id, or of one message, are looked at for the one that a result belongs to. */
const longestLook = 64;

function* match(view: readonly Unit[]): Slices<Matching> {
	const slots: (Slot[] | undefined)[] = new Array(view.length).fill(undefined);
	const uses = new Map<string, Use>();
	const matched = new Uint8Array(view.length);
	const repeated = new Uint8Array(view.length);
	/** Results since the last message that called, by id, that no call was found for. */
	const early = new Map<string, number>();
	/** Calls with the result that stands before them, should none come after. */
	const hurried: { slot: Slot; before: number }[] = [];
	for (const [position, { row }] of view.entries()) {
		if (position % sliceLength === sliceLength - 1) yield;
		if (row.calls?.length) {
			const own = row.calls.map((_, call): Slot => ({ caller: position, call }));
			slots[position] = own;
			for (const slot of own) {
				const id = row.calls[slot.call]?.id ?? '';
				const use = uses.get(id) ?? { newest: position, waiting: [], base: 0, first: 0 };
				uses.set(id, use);
				if (use.newest !== position) closeNewest(use);
				use.newest = position;
				use.waiting.push(slot);
				const before = early.get(id);
				if (before !== undefined) hurried.push({ slot, before });
			}
			early.clear();
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
			else early.set(id, position);
		} else if (row.role === 'user') early.clear();
	}
	for (const { slot, before } of hurried) {
		const { tool } = view[before]?.row ?? {};
		const isOfCall = tool === undefined || tool === view[slot.caller]?.row.calls?.[slot.call]?.name;
		if (slot.result !== undefined || matched[before] || !isOfCall) continue;
		slot.result = before;
		matched[before] = 1;
	}
	return { slots, matched, repeated };
}

/** Lets go of what waits no longer: to do so one by one would take the square of their number. */
function closeNewest(use: Use): void {
	use.waiting.splice(use.base, use.first - use.base);
	use.base = use.waiting.length;
	use.first = use.base;
}

/** The slot that a result fills; it waits no longer. */
function takeSlot(view: readonly Unit[], use: Use, row: Row): Slot | undefined {
	const { waiting, first, answered } = use;
	const isOfTool = ({ caller, call }: Slot): boolean => view[caller]?.row.calls?.[call]?.name === row.tool;
	if (first < waiting.length) {
		// Of calls with one id in one message, the one of the result's own tool.
		const named = waiting.slice(first, first + longestLook).findIndex(isOfTool);
		const index = first + Math.max(0, named);
		const slot = waiting[index];
		waiting.copyWithin(first + 1, first, index);
		use.first++;
		if (use.first === waiting.length) closeNewest(use);
		return slot;
	}
	const isRepeated = answered !== undefined && view[answered]?.row.digest === row.digest;
	const look = waiting.slice(-longestLook);
	const named = isRepeated ? -1 : look.findLastIndex(isOfTool);
	if (named < 0) return undefined;
	use.base = --use.first;
	return waiting.splice(waiting.length - look.length + named, 1)[0];
}

/** Whether a message's results already stand right behind it, each once; in any order that its ids tell apart. */
function isInOrder(row: Row, slots: readonly Slot[], position: number): boolean {
	if (new Set(row.calls?.map((call) => call.id)).size < slots.length) {
		return slots.every((slot, index) => slot.result === position + 1 + index);
	}
	const behind = new Set(slots.map((slot) => (slot.result ?? -1) - position));
	return slots.every((_, index) => behind.has(index + 1));
}

/** First position behind calls that one answer makes in several messages; what it only says ends them. */
function callsEnd({ slots }: Matching, start: number): number {
	let end = start + 1;
	while (slots[end]) end++;
	return end;
}

/**
 * Where an answer in several messages ends with its results, if these stand right behind it, each once and told
 * apart by their ids; undefined where they do not.
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

function* repairsOf(view: readonly Unit[], { slots, matched, repeated }: Matching): Slices<Repairs> {
	let orphanedCallsFixed = 0;
	let orphanedResultsFixed = 0;
	for (const [position, { row }] of view.entries()) {
		if (position % sliceLength === sliceLength - 1) yield;
		const own = slots[position];
		if (own && !isCutOff(row)) {
			for (const { result } of own) if (result === undefined) orphanedCallsFixed++;
		}
		if (row.role === 'tool' && !matched[position] && !repeated[position]) orphanedResultsFixed++;
	}
	return { orphanedCallsFixed, orphanedResultsFixed };
}

/**
 * The results without which the messages of these rows would lose calls: where an answer was cut off, its calls that
 * have no result are left out. O(visible).
 */
export function resultsThatHold(view: readonly Unit[], callers: ReadonlySet<Seq>): Unit[] {
	const isHeld = ({ row, from }: Unit): boolean =>
		isCutOff(row) && row.calls !== undefined && callers.has(from);
	if (!view.some(isHeld)) return [];
	const { slots } = finish(match(view));
	return view.flatMap((unit, position) => {
		const own = isHeld(unit) ? (slots[position] ?? []) : [];
		return own.flatMap(({ result }) => (result === undefined ? [] : (view[result] ?? [])));
	});
}

/**
 * Whether every call's result stands right behind its message, in the order of the calls, and no result elsewhere: such
 * a history needs no repair, whatever else its ids are used for.
 */
function* isAllInOrder(view: readonly Unit[]): Slices<boolean> {
	let waiting: Row['calls'];
	let answered = 0;
	for (let position = 0; position < view.length; position++) {
		if (position % sliceLength === sliceLength - 1) yield;
		const { calls, role, answers } = (view[position] as Unit).row;
		if (waiting && answered < waiting.length) {
			const isNext = role === 'tool' && !calls?.length && waiting[answered]?.id === answers;
			if (!isNext || isAsked(waiting, answered)) return false;
			answered++;
		} else if (calls?.length) {
			if (calls.length > longestLook) return false;
			waiting = calls;
			answered = 0;
		} else if (role === 'tool') return false;
	}
	return !waiting || answered === waiting.length;
}

/** Whether one of the calls before an index has the same id as the one there. */
function isAsked(calls: NonNullable<Row['calls']>, index: number): boolean {
	const id = calls[index]?.id;
	for (let before = 0; before < index; before++) if (calls[before]?.id === id) return true;
	return false;
}

/** How many repairs `pairUp` would make of a view, without laying it out; O(visible), in slices. */
export function* repairsNeeded(view: readonly Unit[]): Slices<Repairs> {
	if (yield* isAllInOrder(view)) return { orphanedCallsFixed: 0, orphanedResultsFixed: 0 };
	const matching = yield* match(view);
	return yield* repairsOf(view, matching);
}

/** The view with every call answered right behind its message and every result called for; O(visible), in slices. */
export function* pairUp(view: readonly Unit[]): Slices<Pairing> {
	const matching = yield* match(view);
	const { slots, matched, repeated } = matching;
	const pairing: Pairing = { entries: [], ...(yield* repairsOf(view, matching)) };
	/** Up to here the answers were looked at as a whole. */
	let seen = 0;
	/** Up to here everything is in its place already. */
	let placed = 0;
	for (const [position, unit] of view.entries()) {
		if (position % sliceLength === sliceLength - 1) yield;
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
