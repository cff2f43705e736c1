/** How often a daemon that stopped by itself is started again. */

/** Stops within `withinMs` after which it is left stopped. */
export const restartLimit = { stops: 5, withinMs: 3 * 60 * 1000 } as const;

export type RestartDecision =
	| { restart: true; stops: number[]; afterMs: number }
	| { restart: false; stops: number[] };

/**
 * What to do after a stop at `now`, given the stops before it (milliseconds since the epoch): a restart at once,
 * then after ever longer waits, and none beyond the limit.
 */
export function afterStop(stops: readonly number[], now: number): RestartDecision {
	const recent = [...stops.filter((at) => now - at < restartLimit.withinMs), now];
	if (recent.length >= restartLimit.stops) return { restart: false, stops: recent };
	return { restart: true, stops: recent, afterMs: recent.length === 1 ? 0 : 250 * 2 ** (recent.length - 2) };
}
