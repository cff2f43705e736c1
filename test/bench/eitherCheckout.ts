/** Calls functions of this checkout or of an older checkout, for benchmarks that compare both. */

/**
 * Calls a function on a session in either checkout. `args` are all arguments that the function declares in this checkout. In an
 * older checkout, the store of sessions is an additional first argument.
 */
export function called<Args extends unknown[], Result>(
	work: (...args: Args) => Result,
	store: unknown,
	...args: Args
): Result {
	if (work.length === args.length) return work(...args);
	return (work as (...args: unknown[]) => Result)(store, ...args);
}
