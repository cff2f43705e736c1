/** Runs long computations in slices of a few milliseconds. */

/** A task that yields so that other work can run in between. Its inputs must not change meanwhile. */
export type SlicedTask<T> = Generator<void, T>;

/** Number of items of a list that are processed between two yields. */
export const itemsPerSlice = 4096;

/**
 * Resolves when requests that arrived during the last slice have been received. That takes two turns of the event loop:
 * the first reads a request from its socket, and the connection handles the request in the second.
 */
export function pauseForOthers(): Promise<void> {
	return new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
}

/** Runs a task to its end without pausing. */
export function runToEnd<T>(task: SlicedTask<T>): T {
	let slice = task.next();
	while (!slice.done) slice = task.next();
	return slice.value;
}

/** Like `list.forEach`, in slices of `sliceLength` items. */
export function* forEachInSlices<T>(
	list: readonly T[],
	visit: (item: T, index: number) => void,
	sliceLength = itemsPerSlice,
): SlicedTask<void> {
	for (let index = 0; index < list.length; index++) {
		visit(list[index] as T, index);
		if (index % sliceLength === sliceLength - 1) yield;
	}
}

/** Like `list.map`, in slices. */
export function* mapInSlices<T, U>(list: readonly T[], map: (item: T, index: number) => U): SlicedTask<U[]> {
	const results: U[] = [];
	yield* forEachInSlices(list, (item, index) => void results.push(map(item, index)));
	return results;
}

/** Like `list.flatMap`, in slices; each call must return few items. */
export function* flatMapInSlices<T, U>(
	list: readonly T[],
	map: (item: T, index: number) => U[],
): SlicedTask<U[]> {
	const results: U[] = [];
	yield* forEachInSlices(list, (item, index) => void results.push(...map(item, index)));
	return results;
}

/** Like `list.filter`, in slices. */
export function filterInSlices<T>(list: readonly T[], shouldKeep: (item: T) => boolean): SlicedTask<T[]> {
	return flatMapInSlices(list, (item) => (shouldKeep(item) ? [item] : []));
}
