/**
 * Matches tool calls with their results. Ids alone are not enough, because ids repeat in real sessions.
 *
 * A result belongs to the newest earlier call with its id that is still unanswered. If an even newer call with that
 * id is already answered, the tool name must match too.
 *
 * - A result that does not follow its call moves directly after it.
 * - A call without a result gets a synthetic result, a result without a call a synthetic call.
 * - A second, equal result is omitted.
 * - Unanswered calls of an answer that was cut off are incomplete and omitted.
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
			unit: Unit;
			/** Indexes of the message's incomplete calls, which are omitted. */
			incompleteCalls?: number[];
	  }
	/** A synthetic result for the call with index `call` of the assistant message `unit`. */
	| { kind: 'result'; unit: Unit; call: number }
	/** A synthetic call for the result `unit`. */
	| { kind: 'call'; unit: Unit };

export interface Pairing extends Repairs {
	entries: PairedEntry[];
}

/** A call, and its result once the result is found. */
interface CallSlot {
	/** Position in the view of the message with the call. */
	caller: number;
	/** Index of the call in its message. */
	call: number;
	/** Position of the result in the view. */
	result?: number;
}

function isAnswerCutOff(row: Row): boolean {
	return row.stopReason === 'aborted' || row.stopReason === 'error';
}

interface CallMatching {
	/** The calls of each assistant message, by the message's position. */
	slots: (CallSlot[] | undefined)[];
	/** By position of a result: 1 if it belongs to a call. */
	isMatched: Uint8Array;
	/** By position of a result: 1 if it repeats an earlier result. */
	isRepeated: Uint8Array;
}

/** The calls with one id that were found so far in the pass over the view. */
interface CallsWithId {
	/** Position of the newest message with a call of this id. */
	newestCaller: number;
	waiting: CallSlot[];
	/** Index in `waiting` of the newest message's first slot. */
	newestStart: number;
	/** Index in `waiting` of the newest message's first slot without a result. */
	firstOpen: number;
	/** Position of the newest result that was matched. */
	newestResult?: number;
}

/** Maximum number of calls with one id, or of one message, that are searched for the call of a result. */
const maxSearchedCalls = 64;

function* matchCalls(view: readonly Unit[]): SlicedTask<CallMatching> {
	const slots: (CallSlot[] | undefined)[] = new Array(view.length).fill(undefined);
	const callsById = new Map<string, CallsWithId>();
	const isMatched = new Uint8Array(view.length);
	const isRepeated = new Uint8Array(view.length);
	/** Unmatched results after the last message with calls, by id. */
	const unmatchedResults = new Map<string, number>();
	/** Calls after an unmatched result with their id. The result answers such a call if no later result does. */
	const precededCalls: { slot: CallSlot; before: number }[] = [];
	for (const [position, { row }] of view.entries()) {
		if (position % itemsPerSlice === itemsPerSlice - 1) yield;
		if (row.calls?.length) {
			const callSlots = row.calls.map((_, call): CallSlot => ({ caller: position, call }));
			slots[position] = callSlots;
			for (const slot of callSlots) {
				const id = row.calls[slot.call]?.id ?? '';
				const callsWithId = callsById.get(id) ?? {
					newestCaller: position,
					waiting: [],
					newestStart: 0,
					firstOpen: 0,
				};
				callsById.set(id, callsWithId);
				if (callsWithId.newestCaller !== position) dropFilledSlots(callsWithId);
				callsWithId.newestCaller = position;
				callsWithId.waiting.push(slot);
				const before = unmatchedResults.get(id);
				if (before !== undefined) precededCalls.push({ slot, before });
			}
			unmatchedResults.clear();
		} else if (row.role === 'tool') {
			const id = row.answers ?? '';
			const callsWithId = callsById.get(id);
			const slot = callsWithId && removeSlot(view, callsWithId, row);
			const previousResult = callsWithId?.newestResult;
			if (slot && callsWithId) {
				slot.result = position;
				isMatched[position] = 1;
				callsWithId.newestResult = position;
			} else if (previousResult !== undefined && view[previousResult]?.row.digest === row.digest)
				isRepeated[position] = 1;
			else unmatchedResults.set(id, position);
		} else if (row.role === 'user') unmatchedResults.clear();
	}
	for (const { slot, before } of precededCalls) {
		const { tool } = view[before]?.row ?? {};
		const isSameTool = tool === undefined || tool === view[slot.caller]?.row.calls?.[slot.call]?.name;
		if (slot.result !== undefined || isMatched[before] || !isSameTool) continue;
		slot.result = before;
		isMatched[before] = 1;
	}
	return { slots, isMatched, isRepeated };
}

/** Drops slots that have a result. Removing them one by one would take quadratic time. */
function dropFilledSlots(callsWithId: CallsWithId): void {
	callsWithId.waiting.splice(callsWithId.newestStart, callsWithId.firstOpen - callsWithId.newestStart);
	callsWithId.newestStart = callsWithId.waiting.length;
	callsWithId.firstOpen = callsWithId.newestStart;
}

/** Removes and returns the slot that a result fills. */
function removeSlot(view: readonly Unit[], callsWithId: CallsWithId, row: Row): CallSlot | undefined {
	const { waiting, firstOpen, newestResult } = callsWithId;
	const hasToolName = ({ caller, call }: CallSlot): boolean =>
		view[caller]?.row.calls?.[call]?.name === row.tool;
	if (firstOpen < waiting.length) {
		// If several calls of one message share the id, the result belongs to the call of its tool.
		const namedIndex = waiting.slice(firstOpen, firstOpen + maxSearchedCalls).findIndex(hasToolName);
		const index = firstOpen + Math.max(0, namedIndex);
		const slot = waiting[index];
		waiting.copyWithin(firstOpen + 1, firstOpen, index);
		callsWithId.firstOpen++;
		if (callsWithId.firstOpen === waiting.length) dropFilledSlots(callsWithId);
		return slot;
	}
	const isRepeated = newestResult !== undefined && view[newestResult]?.row.digest === row.digest;
	const recentSlots = waiting.slice(-maxSearchedCalls);
	const namedIndex = isRepeated ? -1 : recentSlots.findLastIndex(hasToolName);
	if (namedIndex < 0) return undefined;
	callsWithId.newestStart = --callsWithId.firstOpen;
	return waiting.splice(waiting.length - recentSlots.length + namedIndex, 1)[0];
}

/** Whether the results of a message directly follow the message, each once; in any order if the ids are distinct. */
function areResultsInOrder(row: Row, slots: readonly CallSlot[], position: number): boolean {
	if (new Set(row.calls?.map((call) => call.id)).size < slots.length)
		return slots.every((slot, index) => slot.result === position + 1 + index);
	const distances = new Set(slots.map((slot) => (slot.result ?? -1) - position));
	return slots.every((_, index) => distances.has(index + 1));
}

/** Returns the end of the run of messages with calls that begins at `start`. The run is one answer. */
function findCallsEnd({ slots }: CallMatching, start: number): number {
	let end = start + 1;
	while (slots[end]) end++;
	return end;
}

/**
 * Returns the position after the results of an answer that is split over several messages; undefined unless exactly one
 * result for each call follows directly, and all call ids differ.
 */
function findOrderedEnd(
	view: readonly Unit[],
	matching: CallMatching,
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

function pushBatch(pairing: Pairing, view: readonly Unit[], index: number, slots: readonly CallSlot[]): void {
	const unit = view[index];
	if (!unit) return;
	const incomplete = isAnswerCutOff(unit.row) ? slots.filter((slot) => slot.result === undefined) : [];
	pairing.entries.push({
		kind: 'message',
		unit,
		...(incomplete.length > 0 && { incompleteCalls: incomplete.map((slot) => slot.call) }),
	});
	if (areResultsInOrder(unit.row, slots, index)) {
		for (const offset of slots.keys()) pushMessage(pairing, view, index + 1 + offset);
		return;
	}
	for (const slot of slots) {
		if (slot.result !== undefined) pushMessage(pairing, view, slot.result);
		else if (incomplete.length === 0) pairing.entries.push({ kind: 'result', unit, call: slot.call });
	}
}

function pushMessage(pairing: Pairing, view: readonly Unit[], position: number): void {
	const unit = view[position];
	if (unit) pairing.entries.push({ kind: 'message', unit });
}

function* countMatchingRepairs(
	view: readonly Unit[],
	{ slots, isMatched, isRepeated }: CallMatching,
): SlicedTask<Repairs> {
	let orphanedCallsFixed = 0;
	let orphanedResultsFixed = 0;
	for (const [position, { row }] of view.entries()) {
		if (position % itemsPerSlice === itemsPerSlice - 1) yield;
		const callSlots = slots[position];
		if (callSlots && !isAnswerCutOff(row)) {
			for (const { result } of callSlots) if (result === undefined) orphanedCallsFixed++;
		}
		if (row.role === 'tool' && !isMatched[position] && !isRepeated[position]) orphanedResultsFixed++;
	}
	return { orphanedCallsFixed, orphanedResultsFixed };
}

/**
 * Returns the results that must stay so that `callers` keep their calls: an answer that was cut off loses each call
 * without a result. O(visible).
 */
export function findResultsToProtect(view: readonly Unit[], callers: ReadonlySet<Seq>): Unit[] {
	const isCutOffCaller = ({ row, from }: Unit): boolean =>
		isAnswerCutOff(row) && row.calls !== undefined && callers.has(from);
	if (!view.some(isCutOffCaller)) return [];
	const { slots } = runToEnd(matchCalls(view));
	return view.flatMap((unit, position) => {
		const callSlots = isCutOffCaller(unit) ? (slots[position] ?? []) : [];
		return callSlots.flatMap(({ result }) => (result === undefined ? [] : (view[result] ?? [])));
	});
}

/** Counts calls without a result. Undefined unless each result directly follows its calls' message, in order. */
function* countOpenCalls(view: readonly Unit[]): SlicedTask<number | undefined> {
	let caller: Row | undefined;
	let openCount = 0;
	for (let position = 0, answered = 0; position < view.length; position++) {
		if (position % itemsPerSlice === itemsPerSlice - 1) yield;
		const { row } = view[position] as Unit;
		if ((row.calls?.length ?? 0) > (row.role === 'tool' ? 0 : maxSearchedCalls)) return undefined;
		if (row.role !== 'tool') {
			caller = row;
			answered = 0;
			if (!isAnswerCutOff(row)) openCount += row.calls?.length ?? 0;
		} else {
			if (caller?.calls?.[answered]?.id !== row.answers) return undefined;
			if (!caller || isRepeatedId(caller.calls, answered)) return undefined;
			answered++;
			if (!isAnswerCutOff(caller)) openCount--;
		}
	}
	return openCount;
}

/** Whether there is no call at this index, or an earlier call has the same id. */
function isRepeatedId(calls: Row['calls'], index: number): boolean {
	return calls?.findIndex(({ id }) => id === calls[index]?.id) !== index;
}

/** Counts the repairs that `pairCalls` would make, without building the entries; O(visible), in slices. */
export function* countRepairs(view: readonly Unit[]): SlicedTask<Repairs> {
	const openCount = yield* countOpenCalls(view);
	if (openCount !== undefined) return { orphanedCallsFixed: openCount, orphanedResultsFixed: 0 };
	const matching = yield* matchCalls(view);
	return yield* countMatchingRepairs(view, matching);
}

/** Returns the view with each call directly followed by its result; O(visible), in slices. */
export function* pairCalls(view: readonly Unit[]): SlicedTask<Pairing> {
	const matching = yield* matchCalls(view);
	const { slots, isMatched, isRepeated } = matching;
	const pairing: Pairing = { entries: [], ...(yield* countMatchingRepairs(view, matching)) };
	/** Position up to which answers were checked as a whole. */
	let seenEnd = 0;
	/** Position up to which entries were added. */
	let addedEnd = 0;
	for (const [position, unit] of view.entries()) {
		if (position % itemsPerSlice === itemsPerSlice - 1) yield;
		if (position < addedEnd) continue;
		const callSlots = slots[position];
		if (callSlots && position >= seenEnd) {
			seenEnd = findCallsEnd(matching, position);
			const end = seenEnd > position + 1 ? findOrderedEnd(view, matching, position, seenEnd) : undefined;
			if (end !== undefined) {
				for (addedEnd = position; addedEnd < end; addedEnd++) pushMessage(pairing, view, addedEnd);
				continue;
			}
		}
		if (isMatched[position] || isRepeated[position]) continue;
		if (callSlots) {
			pushBatch(pairing, view, position, callSlots);
			continue;
		}
		if (unit.row.role === 'tool') pairing.entries.push({ kind: 'call', unit });
		pairing.entries.push({ kind: 'message', unit });
	}
	return pairing;
}
