/** A binary heap of numbered items, the largest key on top. */
export interface Heap {
	items: number[];
	keys: number[];
}

/** A heap without items. */
export function createHeap(): Heap {
	return { items: [], keys: [] };
}

/** Adds an item. */
export function pushItem(heap: Heap, item: number, key: number): void {
	let at = heap.items.length;
	heap.items.push(item);
	heap.keys.push(key);
	while (at > 0) {
		const parent = (at - 1) >> 1;
		if (heap.keys[parent]! >= key) break;
		heap.items[at] = heap.items[parent]!;
		heap.keys[at] = heap.keys[parent]!;
		at = parent;
	}
	heap.items[at] = item;
	heap.keys[at] = key;
}

/** Removes the item on top. */
export function popItem(heap: Heap): void {
	const item = heap.items.pop()!;
	const key = heap.keys.pop()!;
	if (heap.items.length > 0) replaceTop(heap, item, key);
}

/** Puts an item in the place of the one on top, which is cheaper than to remove one and add the other. */
export function replaceTop(heap: Heap, item: number, key: number): void {
	const size = heap.items.length;
	let at = 0;
	for (let child = 1; child < size; child = 2 * at + 1) {
		if (child + 1 < size && heap.keys[child + 1]! > heap.keys[child]!) child++;
		if (heap.keys[child]! <= key) break;
		heap.items[at] = heap.items[child]!;
		heap.keys[at] = heap.keys[child]!;
		at = child;
	}
	heap.items[at] = item;
	heap.keys[at] = key;
}
