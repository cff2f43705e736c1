/** Long work over values in memory, in slices of a few milliseconds. */

/** A work that yields where others may work in between; what it reads must not change meanwhile. */
export type Slices<T> = Generator<void, T>;

/** Places of a list that are passed through between two chances for others. */
export const sliceLength = 4096;

/** Runs a work to its end in one go. */
export function finish<T>(work: Slices<T>): T {
	let slice = work.next();
	while (!slice.done) slice = work.next();
	return slice.value;
}

/** As `list.forEach`, in slices. */
export function* visited<T>(list: readonly T[], each: (item: T, index: number) => void): Slices<void> {
	for (const [index, item] of list.entries()) {
		each(item, index);
		if (index % sliceLength === sliceLength - 1) yield;
	}
}

/** As `list.map`, in slices. */
export function* mapped<T, U>(list: readonly T[], each: (item: T, index: number) => U): Slices<U[]> {
	const made: U[] = [];
	for (const [index, item] of list.entries()) {
		made.push(each(item, index));
		if (index % sliceLength === sliceLength - 1) yield;
	}
	return made;
}

/** As `list.flatMap`, in slices; each item makes few others. */
export function* flatMapped<T, U>(list: readonly T[], each: (item: T, index: number) => U[]): Slices<U[]> {
	const made: U[] = [];
	for (const [index, item] of list.entries()) {
		made.push(...each(item, index));
		if (index % sliceLength === sliceLength - 1) yield;
	}
	return made;
}

/** As `list.filter`, in slices. */
export function filtered<T>(list: readonly T[], isKept: (item: T) => boolean): Slices<T[]> {
	return flatMapped(list, (item) => (isKept(item) ? [item] : []));
}
