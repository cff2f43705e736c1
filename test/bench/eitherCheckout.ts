/** Calls the source of this checkout, or of an older one that a benchmark compares. */

/**
 * Returns the result of work on a session, in either checkout. `args` are the arguments in this one, as many as
 * it declares; older ones take the store of sessions before them.
 */
export function called<Args extends unknown[], Result>(
	work: (...args: Args) => Result,
	store: unknown,
	...args: Args
): Result {
	if (work.length === args.length) return work(...args);
	return (work as (...args: unknown[]) => Result)(store, ...args);
}
