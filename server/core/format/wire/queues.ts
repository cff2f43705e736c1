/** Hands out the values of a key in their order, each once. */
export interface Queues<T> {
	take(key: string): T | undefined;
	/** What was not handed out, in its order. */
	rest(): T[];
}

/** The values queued by their keys; linear in all. */
export function queueBy<T>(values: readonly T[], keyOf: (value: T) => string): Queues<T> {
	const indexes = new Map<string, number[]>();
	for (let index = values.length - 1; index >= 0; index--) {
		const key = keyOf(values[index]!);
		const queue = indexes.get(key);
		if (queue) queue.push(index);
		else indexes.set(key, [index]);
	}
	const taken = new Set<number>();
	return {
		take(key) {
			const index = indexes.get(key)?.pop();
			if (index === undefined) return undefined;
			taken.add(index);
			return values[index];
		},
		rest: () => values.filter((_, index) => !taken.has(index)),
	};
}
