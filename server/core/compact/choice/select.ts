/** The greedy algorithm behind every selection: repeatedly takes the fitting item with the highest gain per cost. */

import type { SlicedTask } from '../../slices.ts';
import { workLimits } from '../tuning.ts';

/** The items of a choice, each by its index. */
export interface Choice {
	length: number;
	/**
	 * Returns the group of an item. Neighbours in a group share a label. The first item that is taken from a group opens it:
	 * that item pays for the label.
	 */
	getGroup(index: number): number;
	/** Returns an item's gain per cost, which may rise only when the item's group opens. */
	computeKey(index: number, isOpen: boolean): number;
	/** Items with this key or a lower one are never taken. */
	minKey: number;
	/** Tries to take the best remaining item. `not shown` excludes the item from now on. */
	tryTake(index: number, opensGroup: boolean): 'taken' | 'too large' | 'not shown';
}

/** Chooses items by lazy greedy selection. A key may rise only when its item's group opens. O(n log n). */
export function* selectGreedily({ length, getGroup, computeKey, minKey, tryTake }: Choice): SlicedTask<void> {
	const heap: Heap = { items: [], keys: [] };
	const isDone = new Uint8Array(length);
	const opened = new Set<number>();
	for (let index = 0; index < length; index++) {
		const key = computeKey(index, false);
		if (key > minKey) pushItem(heap, index, key);
		if (index % workLimits.candidatesPerSlice === 0) yield;
	}
	for (let misses = 0, steps = 1; heap.items.length > 0 && misses < workLimits.maxMisses; steps++) {
		if (steps % workLimits.candidatesPerSlice === 0) yield;
		const index = heap.items[0] ?? 0;
		const group = getGroup(index);
		const isOpen = opened.has(group);
		const key = isDone[index] === 1 ? minKey : computeKey(index, isOpen);
		if (key <= minKey) {
			popItem(heap);
			continue;
		}
		if (key < (heap.keys[0] ?? 0) * workLimits.staleKeyTolerance) {
			replaceTop(heap, index, key);
			continue;
		}
		popItem(heap);
		const answer = tryTake(index, !isOpen);
		// An item that is too large may fit after another item paid for their group's label.
		if (answer === 'too large') misses++;
		else isDone[index] = 1;
		if (answer !== 'taken') continue;
		misses = 0;
		if (isOpen) continue;
		opened.add(group);
		let member = index;
		while (member > 0 && getGroup(member - 1) === group) member--;
		for (; member < length && getGroup(member) === group; member++)
			if (isDone[member] === 0) pushItem(heap, member, computeKey(member, true));
	}
}

/** A binary heap of numbered items, the largest key on top. */
interface Heap {
	items: number[];
	keys: number[];
}

/** Adds an item. */
function pushItem(heap: Heap, item: number, key: number): void {
	let index = heap.items.length;
	heap.items.push(item);
	heap.keys.push(key);
	while (index > 0) {
		const parent = (index - 1) >> 1;
		if (heap.keys[parent]! >= key) break;
		heap.items[index] = heap.items[parent]!;
		heap.keys[index] = heap.keys[parent]!;
		index = parent;
	}
	heap.items[index] = item;
	heap.keys[index] = key;
}

/** Removes the item on top. */
function popItem(heap: Heap): void {
	const item = heap.items.pop()!;
	const key = heap.keys.pop()!;
	if (heap.items.length > 0) replaceTop(heap, item, key);
}

/** Replaces the item on top. Cheaper than `popItem` and `pushItem`. */
function replaceTop(heap: Heap, item: number, key: number): void {
	const size = heap.items.length;
	let index = 0;
	for (let child = 1; child < size; child = 2 * index + 1) {
		if (child + 1 < size && heap.keys[child + 1]! > heap.keys[child]!) child++;
		if (heap.keys[child]! <= key) break;
		heap.items[index] = heap.items[child]!;
		heap.keys[index] = heap.keys[child]!;
		index = child;
	}
	heap.items[index] = item;
	heap.keys[index] = key;
}
