/** Calls into the source of this checkout, or of an older one beside which a benchmark of this one runs. */

/**
 * What a work on a session gives, by the checkout that it is of. `args` are all that it takes in this one, as many as
 * it declares; in older ones it takes the store of sessions before them.
 */
export function called<Args extends unknown[], Result>(
	work: (...args: Args) => Result,
	store: unknown,
	...args: Args
): Result {
	if (work.length === args.length) return work(...args);
	return (work as (...args: unknown[]) => Result)(store, ...args);
}
