/** Runs tasks with the same key one after the other; tasks with different keys run concurrently. */
export type RunInTurn = <T>(key: string, task: () => Promise<T>) => Promise<T>;

/** Returns a function that runs tasks in a queue per key. A failed task does not stop later ones. */
export function createTaskQueues(): RunInTurn {
	const lastTasks = new Map<string, Promise<unknown>>();
	return (key, task) => {
		const result = (lastTasks.get(key) ?? Promise.resolve()).then(task, task);
		lastTasks.set(key, result);
		const removeIfLast = (): void => {
			if (lastTasks.get(key) === result) lastTasks.delete(key);
		};
		result.then(removeIfLast, removeIfLast);
		return result;
	};
}
