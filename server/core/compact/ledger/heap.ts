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
export function popItem(heap: Heap): void {
	const item = heap.items.pop()!;
	const key = heap.keys.pop()!;
	if (heap.items.length > 0) replaceTop(heap, item, key);
}

/** Puts an item in the place of the one on top, which is cheaper than to remove one and add the other. */
export function replaceTop(heap: Heap, item: number, key: number): void {
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
