/** Works on one thing come one after the other; those on different things go on side by side. */
export type InTurn = <T>(key: string, work: () => Promise<T>) => Promise<T>;

/** A queue for each key, kept only while something waits in it. A work that fails does not stop those behind it. */
export function createTurns(): InTurn {
	const turns = new Map<string, Promise<unknown>>();
	return (key, work) => {
		const turn = (turns.get(key) ?? Promise.resolve()).then(work, work);
		turns.set(key, turn);
		const done = (): void => {
			if (turns.get(key) === turn) turns.delete(key);
		};
		turn.then(done, done);
		return turn;
	};
}
