/** Runs tasks with the same key one after the other; tasks with different keys run concurrently. */
export type RunInTurn = <T>(key: string, task: () => Promise<T>) => Promise<T>;

/** Returns a function that runs tasks in a queue per key. A failed task does not stop later ones. */
export function createTaskQueues(): RunInTurn {
	const turns = new Map<string, Promise<unknown>>();
	return (key, task) => {
		const turn = (turns.get(key) ?? Promise.resolve()).then(task, task);
		turns.set(key, turn);
		const done = (): void => {
			if (turns.get(key) === turn) turns.delete(key);
		};
		turn.then(done, done);
		return turn;
	};
}
