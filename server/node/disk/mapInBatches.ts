/** Returns the results of `task` for all items, in order, without undefined results. Runs `size` tasks at a time. */
export async function mapInBatches<Item, Result>(
	items: readonly Item[],
	size: number,
	task: (item: Item) => Promise<Result | undefined>,
	signal?: AbortSignal,
): Promise<Result[]> {
	const results: Result[] = [];
	for (let from = 0; from < items.length; from += size) {
		signal?.throwIfAborted();
		for (const result of await Promise.all(items.slice(from, from + size).map(task))) {
			if (result !== undefined) results.push(result);
		}
	}
	return results;
}
