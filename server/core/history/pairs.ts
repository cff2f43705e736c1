/**
 * Tool calls and their results, put together: by id and by turn, since real sessions use ids twice.
 *
 * A result belongs to the newest earlier call with its id that is still unanswered. One that strayed is moved
 * behind its call; a call without a result gets a synthetic one; a result without a call gets a synthetic call;
 * a second, equal result is left out; so are unanswered calls of an answer that was cut off, which are half calls.
 */

import type { Row, Unit } from './state.ts';

/** One entry of a history that is valid as to its pairs. */
export type Entry =
	| { kind: 'message'; unit: Unit /** Positions of half calls, to be left out. */; halfCalls?: number[] }
	| { kind: 'result' /** The assistant message whose call it answers. */; unit: Unit; call: number }
	| { kind: 'call' /** The result that it is made for. */; unit: Unit };

export interface Pairing {
	entries: Entry[];
	orphanedCallsFixed: number;
	orphanedResultsFixed: number;
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
	slots: Map<number, Slot[]>;
	/** Positions of results that belong to a call. */
	matched: Set<number>;
	/** Positions of results that say again what an earlier one said. */
	repeated: Set<number>;
}

function match(view: readonly Unit[]): Matching {
	const slots = new Map<number, Slot[]>();
	const waiting = new Map<string, Slot[]>();
	const answered = new Map<string, number>();
	const matched = new Set<number>();
	const repeated = new Set<number>();
	const early = new Map<string, number>();
	for (const [position, { row }] of view.entries()) {
		if (row.calls?.length) {
			const own = row.calls.map((_, call): Slot => ({ caller: position, call }));
			slots.set(position, own);
			for (const [call, slot] of own.entries()) {
				const id = row.calls[call]?.id ?? '';
				const before = early.get(id);
				if (before !== undefined && !matched.has(before)) {
					slot.result = before;
					matched.add(before);
					continue;
				}
				const all = waiting.get(id);
				if (all) all.push(slot);
				else waiting.set(id, [slot]);
			}
			early.clear();
		} else if (row.role === 'tool') {
			const id = row.answers ?? '';
			const slot = takeSlot(waiting, id);
			if (slot) {
				slot.result = position;
				matched.add(position);
				answered.set(id, position);
				continue;
			}
			const previous = answered.get(id);
			if (previous !== undefined && view[previous]?.row.digest === row.digest) repeated.add(position);
			else early.set(id, position);
		} else if (row.role === 'user') early.clear();
	}
	return { slots, matched, repeated };
}

/** The slot that a result with this id fills: of the newest message that waits for it, the first. */
function takeSlot(waiting: Map<string, Slot[]>, id: string): Slot | undefined {
	const all = waiting.get(id);
	const newest = all?.at(-1);
	if (!all || !newest) return undefined;
	let at = all.length - 1;
	while (at > 0 && all[at - 1]?.caller === newest.caller) at--;
	const [slot] = all.splice(at, 1);
	if (all.length === 0) waiting.delete(id);
	return slot;
}

/** Whether a message's results already stand right behind it, each once. */
function isInOrder(slots: readonly Slot[], position: number): boolean {
	const behind = new Set(slots.map((slot) => (slot.result ?? -1) - position));
	return slots.every((_, index) => behind.has(index + 1));
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
	if (isInOrder(slots, position)) {
		for (const index of slots.keys()) pushMessage(pairing, view, position + 1 + index);
		return;
	}
	for (const slot of slots) {
		if (slot.result !== undefined) pushMessage(pairing, view, slot.result);
		else if (half.length === 0) {
			pairing.entries.push({ kind: 'result', unit, call: slot.call });
			pairing.orphanedCallsFixed++;
		}
	}
}

function pushMessage(pairing: Pairing, view: readonly Unit[], position: number): void {
	const unit = view[position];
	if (unit) pairing.entries.push({ kind: 'message', unit });
}

/** The view with every call answered right behind its message and every result called for; O(visible). */
export function pairUp(view: readonly Unit[]): Pairing {
	const { slots, matched, repeated } = match(view);
	const pairing: Pairing = { entries: [], orphanedCallsFixed: 0, orphanedResultsFixed: 0 };
	for (const [position, unit] of view.entries()) {
		if (matched.has(position) || repeated.has(position)) continue;
		const own = slots.get(position);
		if (own) {
			pushBatch(pairing, view, position, own);
			continue;
		}
		if (unit.row.role === 'tool') {
			pairing.entries.push({ kind: 'call', unit });
			pairing.orphanedResultsFixed++;
		}
		pairing.entries.push({ kind: 'message', unit });
	}
	return pairing;
}
